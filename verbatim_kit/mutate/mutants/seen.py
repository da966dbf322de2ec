"""Observations of optional and nullable fields in the recorded answers."""

from collections.abc import Iterable
from typing import Any

from verbatim_kit.mutate.mutants.declared import Part, Schema


class Seen:
    """The optional fields that were missing, nullable fields that were null, and arrays that were empty.

    An excuse from the document (optional, nullable, any length) only counts if the server has made use of it.
    Otherwise the document should promise more than it does.
    """

    def __init__(self) -> None:
        self._absent: set[tuple[int, str]] = set()
        self._null: set[tuple[int, str]] = set()
        self._empty: set[tuple[int, str]] = set()

    def note(self, parts: Iterable[Part]) -> None:
        """Record the parts of a value."""
        for part in parts:
            if isinstance(part.value, dict):
                self._absent |= {
                    (id(leaf), name)
                    for leaf in part.met
                    for name in leaf.get("properties", {})
                    if name not in part.value
                }
            elif part.value is None:
                self._null |= _places(part)
            elif part.value == []:
                self._empty |= _places(part)

    def was_absent(self, part: Part) -> bool:
        return _places(part) <= self._absent

    def was_null(self, part: Part) -> bool:
        return not part.owners or _places(part) <= self._null

    def was_empty(self, part: Part) -> bool:
        return not part.owners or _places(part) <= self._empty


def _places(part: Part) -> set[tuple[int, str]]:
    """Return the schemas of the part's owners, by id, with the part's name."""
    owners: list[Schema] = part.owners
    name: Any = part.pointer[-1] if part.pointer else ""
    return {(id(owner), str(name)) for owner in owners}
