"""The laws of a stream's events and their order: the document's extension `x-stream` (specs/README.md)."""

from dataclasses import dataclass
from typing import Any, Final

from verbatim_kit.json_pointer import steps_of
from verbatim_kit.judge.schemas import Rule, Schemas

Pointer = tuple[str, ...]

_SEQUENCE: Final = frozenset(
    {"constant", "counts", "joined", "first", "last", "each", "once", "order", "parts"}
)
_STREAM: Final = _SEQUENCE | {"when", "failure"}
_PART: Final = _SEQUENCE | {"at", "by", "num"}
_JOINED: Final = frozenset({"of", "where"})


@dataclass(frozen=True, slots=True)
class Joined:
    """The law that the text at `whole` is all text at `of` so far, in items that are valid by `where`."""

    whole: Pointer
    of: Pointer
    where: Rule | None


@dataclass(frozen=True, slots=True)
class SequenceLaws:
    """The laws of the items of one sequence, in their order.

    constant: members that are equal in all items that have them. counts: members that count by one, each with
    its start. joined: texts that repeat others. first: valid for the first item and no other. last: valid for
    the last item and no other. each: valid for every item. once: each valid for one item. order: none of the
    items that are valid by one comes after one that is valid by a later one.
    """

    constant: tuple[Pointer, ...]
    counts: tuple[tuple[Pointer, int], ...]
    joined: tuple[Joined, ...]
    first: Rule | None
    last: Rule | None
    each: Rule | None
    once: tuple[Rule, ...]
    order: tuple[Rule, ...]
    parts: tuple["PartLaws", ...]


@dataclass(frozen=True, slots=True)
class PartLaws:
    """The laws of sequences that share a stream.

    at: the place of a sequence's item, or of an array of such, in an item of the stream.
    by: the number that identifies the sequence; the sequences' numbers are 0, 1, 2, ….
    num: the request's member with their number, 1 where it is absent or null; None if
        there is no such member.
    """

    at: Pointer
    by: Pointer
    num: Pointer | None
    laws: SequenceLaws


@dataclass(frozen=True, slots=True)
class StreamLaws:
    """The laws of a stream's events, if the request's body is valid by `when`.

    failure: an event that is valid by it ends the stream, wherever it comes; no other law applies to it.
    """

    when: Rule | None
    failure: Rule | None
    laws: SequenceLaws


def read_laws(node: Any, schemas: Schemas) -> tuple[StreamLaws, ...]:
    """Return the laws of an `x-stream`. Raises ValueError, with the fault, if it is malformed."""
    if not isinstance(node, list):
        raise ValueError("x-stream must be a list")
    return tuple(_stream(item, schemas) for item in node)


def _stream(node: Any, schemas: Schemas) -> StreamLaws:
    _check(node, _STREAM)
    return StreamLaws(_rule(node, "when", schemas), _rule(node, "failure", schemas), _sequence(node, schemas))


def _sequence(node: dict[str, Any], schemas: Schemas) -> SequenceLaws:
    return SequenceLaws(
        constant=tuple(steps_of(pointer) for pointer in node.get("constant", ())),
        counts=tuple((steps_of(pointer), start) for pointer, start in node.get("counts", {}).items()),
        joined=tuple(_joined(whole, one, schemas) for whole, one in node.get("joined", {}).items()),
        first=_rule(node, "first", schemas),
        last=_rule(node, "last", schemas),
        each=_rule(node, "each", schemas),
        once=tuple(schemas.condition(schema) for schema in node.get("once", ())),
        order=tuple(schemas.condition(schema) for schema in node.get("order", ())),
        parts=tuple(_part(part, schemas) for part in node.get("parts", ())),
    )


def _joined(whole: str, node: Any, schemas: Schemas) -> Joined:
    _check(node, _JOINED)
    return Joined(steps_of(whole), steps_of(node["of"]), _rule(node, "where", schemas))


def _part(node: Any, schemas: Schemas) -> PartLaws:
    _check(node, _PART)
    num = steps_of(node["num"]) if "num" in node else None
    return PartLaws(steps_of(node["at"]), steps_of(node["by"]), num, _sequence(node, schemas))


def _rule(node: dict[str, Any], key: str, schemas: Schemas) -> Rule | None:
    return schemas.condition(node[key]) if key in node else None


def _check(node: Any, known: frozenset[str]) -> None:
    if not isinstance(node, dict) or not known.issuperset(node):
        raise ValueError(f"x-stream has {node!r}, which may have {', '.join(sorted(known))} alone")
