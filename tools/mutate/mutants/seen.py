"""Observations in the recorded answers of the fields that a document leaves open."""

from collections.abc import Iterable
from typing import Any

from tools.mutate.mutants.declared import Part, Schema


class Seen:
    """Optional fields that were missing at least once, nullable ones that were null, arrays that were empty.

    An excuse that the document gives (optional, nullable, of any length) is taken only where the server was
    seen to make use of it. Where it never does, the document promises less than is kept.
    """

    def __init__(self) -> None:
        self._absent: set[tuple[int, str]] = set()
        self._null: set[tuple[int, str]] = set()
        self._empty: set[tuple[int, str]] = set()

    def note(self, parts: Iterable[Part]) -> None:
        """Notes all parts of one value."""
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
    """The document's schemas of the object that has it; they live as long as the document."""
    owners: list[Schema] = part.owners
    name: Any = part.pointer[-1] if part.pointer else ""
    return {(id(owner), str(name)) for owner in owners}
