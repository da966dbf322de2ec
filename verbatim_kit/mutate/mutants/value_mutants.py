"""Mutants of a JSON value: every kind of corruption that its schema should exclude."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from verbatim_kit.judge.schemas import is_opened_for_requests
from verbatim_kit.mutate.mutants.declared import Part, Reading
from verbatim_kit.mutate.mutants.seen import Seen

NEW_NAME: Final = "verbatim_mutant"
_BOUNDS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "format")


class ValueMutant(NamedTuple):
    """A corrupted value. excuse: the reason that the document allows it; None if it does not."""

    kind: str
    place: str
    value: Any
    excuse: str | None


def value_mutants(value: Any, schema: dict[str, Any], reading: Reading, seen: Seen) -> Iterator[ValueMutant]:
    """Yield all mutants of a value that satisfies the schema."""
    for part in reading.parts(value, schema):
        place = "/".join(map(str, part.pointer))
        for kind, name, changed, excuse in _mutants(part, reading, seen):
            yield ValueMutant(
                kind, "/".join(filter(None, (place, name))), _with(value, part, changed), excuse
            )


# The change of a part: removed, renamed, or another value.
_DROP: Final = object()
_RENAME: Final = object()
_Change = tuple[str, str, Any, str | None]


def _mutants(part: Part, reading: Reading, seen: Seen) -> Iterator[_Change]:
    if part.is_member:
        is_entry = not part.owners
        yield "field dropped", "", _DROP, "an entry of a map" if is_entry else _optional(part, seen)
        yield "field renamed", "", _RENAME, "a map takes any name" if is_entry else None
    if part.value is not None:
        yield "field nulled", "", None, _nullable(part, reading, seen)
    other = _of_another_type(part.value)
    yield "field retyped", "", other, "of any type" if reading.admits(part.declared, other) else None
    if isinstance(part.value, bool):
        return
    if isinstance(part.value, dict):
        is_open = any(not leaf.get("properties") or _is_open(leaf) for leaf in part.met)
        yield (
            "undeclared field added",
            NEW_NAME,
            {**part.value, NEW_NAME: 1},
            "takes other fields" if is_open else None,
        )
    if isinstance(part.value, list) and part.value:
        yield "array emptied", "", [], _any_length(part, seen)
        yield from _array_mutants(part)
    if isinstance(part.value, str):
        yield from _text_mutants(part, reading)
    if isinstance(part.value, int | float):
        yield from _number_mutants(part)


def _is_open(leaf: dict[str, Any]) -> bool:
    return "additionalProperties" in leaf and not is_opened_for_requests(leaf)


def _array_mutants(part: Part) -> Iterator[_Change]:
    """Yield mutants of arrays whose items have an index."""
    items = part.value
    if not all(isinstance(item, dict) and item.get("index") == at for at, item in enumerate(items)):
        return
    yield "item doubled", "", [items[0], *items], None
    yield "number changed", "", [*items[:-1], {**items[-1], "index": len(items)}], None
    if len(items) > 1:
        yield "items reordered", "", [items[1], items[0], *items[2:]], None


def _text_mutants(part: Part, reading: Reading) -> Iterator[_Change]:
    if any("enum" in leaf or "const" in leaf for leaf in part.met):
        leaves = [leaf for schema in part.declared for leaf in reading.leaves(schema)]
        is_free = any(leaf.get("type") == "string" and not {"enum", "const"} & leaf.keys() for leaf in leaves)
        yield "enum value changed", "", "verbatim-mutant", "of any text" if is_free else None
    elif any("pattern" in leaf or "format" in leaf for leaf in part.met):
        yield "format broken", "", " ?", None
    else:
        yield "text changed", "", part.value + "?", "of any text"
    if any(leaf.get("minLength") for leaf in part.met):
        yield "text emptied", "", "", None


def _number_mutants(part: Part) -> Iterator[_Change]:
    is_whole = not any("number" in leaf.get("type", ()) for leaf in part.met)
    bounds = {key: leaf[key] for leaf in part.met for key in _BOUNDS if key in leaf}
    if is_whole:
        yield "field retyped", "", part.value + 0.5, None
    least = bounds.get("minimum", bounds.get("exclusiveMinimum", 0))
    unbounded = (
        None if is_whole or {"minimum", "exclusiveMinimum"} & bounds.keys() else "a number without bounds"
    )
    yield "number out of bounds", "", least - 1 - abs(part.value), unbounded
    if "maximum" in bounds:
        yield "number out of bounds", "", bounds["maximum"] + 1, None


def _optional(part: Part, seen: Seen) -> str | None:
    return "optional" if not part.is_required and seen.was_absent(part) else None


def _nullable(part: Part, reading: Reading, seen: Seen) -> str | None:
    if not reading.admits(part.declared, None):
        return None
    if not part.is_required and seen.was_absent(part):
        return "null says what absence says"
    return "nullable" if seen.was_null(part) else None


def _any_length(part: Part, seen: Seen) -> str | None:
    has_least = any(leaf.get("minItems") for leaf in part.met)
    return "of any length" if not has_least and seen.was_empty(part) else None


def _of_another_type(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return 7
    if isinstance(value, int | float):
        return str(value)
    return [[]] if isinstance(value, dict) else {NEW_NAME: 1}


def _with(value: Any, part: Part, changed: Any) -> Any:
    if not part.pointer:
        return changed
    return _put(value, part.pointer, changed)


def _put(value: Any, pointer: tuple[str | int, ...], changed: Any) -> Any:
    """Return a copy of the value with the change at the pointer."""
    step, *rest = pointer
    copy = value.copy()
    if rest:
        copy[step] = _put(value[step], tuple(rest), changed)
    elif changed is _DROP:
        del copy[step]
    elif changed is _RENAME:
        copy[f"{step}_"] = copy.pop(step)
    else:
        copy[step] = changed
    return copy
