"""The differences between two documents' structures, each with its place."""

from dataclasses import dataclass
from typing import Any

from deepdiff import DeepDiff

from verbatim_kit.drift.structure import structure
from verbatim_kit.generate.documents.document import Document, Pointer

# How deepdiff names what happened, and how the report does.
_KINDS = {
    "dictionary_item_added": "added",
    "iterable_item_added": "added",
    "dictionary_item_removed": "removed",
    "iterable_item_removed": "removed",
    "values_changed": "changed",
    "type_changes": "changed",
}


@dataclass(frozen=True)
class Difference:
    """One place where upstream is not what we state.

    kind: `added` (upstream alone has it), `removed` (we alone have it) or `changed`.
    ours, upstream: the JSON values there; the one that does not exist is None.
    """

    pointer: Pointer
    kind: str
    ours: Any
    upstream: Any


def differences(ours: Document, upstream: Document) -> list[Difference]:
    """The differences in structure between `upstream` and `ours`, in the order of the places."""
    found = DeepDiff(structure(ours), structure(upstream), view="tree")
    if unknown := set(found) - set(_KINDS):
        raise ValueError(f"deepdiff reports what this tool does not know: {', '.join(sorted(unknown))}")
    rows = [_difference(_KINDS[kind], item) for kind, items in found.items() for item in items]
    return sorted(rows, key=lambda row: (row.pointer, row.kind))


def _difference(kind: str, item: Any) -> Difference:
    return Difference(
        pointer=tuple(str(part) for part in item.path(output_format="list")),
        kind=kind,
        ours=None if kind == "added" else item.t1,
        upstream=None if kind == "removed" else item.t2,
    )
