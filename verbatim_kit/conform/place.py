"""Paths into JSON values: reading, replacing and rendering."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from typing_extensions import override

Place: TypeAlias = tuple[str | int, ...]
"""A path into a JSON value: object keys and array indices, outermost first."""


class _Absent:
    @override
    def __repr__(self) -> str:
        return "(absent)"


ABSENT: Final[Any] = _Absent()
"""A marker for the absence of a value, which is distinct from JSON null."""


def at(value: Any, place: Place) -> Any:
    """Return the value at a place; ABSENT if there is none."""
    for part in place:
        is_item = isinstance(value, list) and isinstance(part, int) and part < len(value)
        if not is_item and not (isinstance(value, Mapping) and part in value):
            return ABSENT
        value = value[part]
    return value


def put(value: Any, place: Place, new: Any) -> Any:
    """Return a copy of a value with `new` at a place; the place's parent must exist.

    new: the replacement; ABSENT removes the member or item.
    """
    if not place:
        return new
    first, rest = place[0], place[1:]
    if isinstance(value, list):
        assert isinstance(first, int)
        items = [*value, None] if first == len(value) else list(value)
        items[first] = put(items[first], rest, new)
        return [item for item in items if item is not ABSENT]
    if not rest and new is ABSENT:
        return {key: member for key, member in value.items() if key != first}
    return {**value, first: put(value.get(first), rest, new)}


def render(place: Place) -> str:
    """Render a place as text: `('messages', 0, 'content')` becomes `messages[0].content`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return text.removeprefix(".")


def parts(value: Any) -> Iterator[tuple[Place, Any]]:
    """Yield a value and every value nested in it, each with its place."""
    yield (), value
    children = (
        value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    )
    for step, inner in children:
        yield from (((step, *place), part) for place, part in parts(inner))
