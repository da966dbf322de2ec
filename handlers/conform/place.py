"""Places in JSON values."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from typing_extensions import override

Place: TypeAlias = tuple[str | int, ...]


class _Absent:
    @override
    def __repr__(self) -> str:
        return "(absent)"


ABSENT: Final[Any] = _Absent()
"""The value of a place where there is none."""


def at(value: Any, place: Place) -> Any:
    """Return what stands at a place; ABSENT if nothing does."""
    for part in place:
        is_item = isinstance(value, list) and isinstance(part, int) and part < len(value)
        if not is_item and not (isinstance(value, Mapping) and part in value):
            return ABSENT
        value = value[part]
    return value


def put(value: Any, place: Place, new: Any) -> Any:
    """A copy of a value with something else at a place, whose parent is there; ABSENT takes it away."""
    if not place:
        return new
    first, rest = place[0], place[1:]
    if isinstance(value, list):
        assert isinstance(first, int)
        items = [*value, None] if first == len(value) else list(value)
        items[first] = put(items[first], rest, new)
        return [item for item in items if item is not ABSENT]
    kept = {key: member for key, member in value.items() if key != first or rest or new is not ABSENT}
    if not rest and new is ABSENT:
        return kept
    return {**kept, first: put(value.get(first), rest, new)}


def render(place: Place) -> str:
    """('messages', 0, 'content') as 'messages[0].content'."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return text.removeprefix(".")


def parts(value: Any) -> Iterator[tuple[Place, Any]]:
    """The value and all inside it, each with its place."""
    yield (), value
    named = (
        value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    )
    for step, inner in named:
        yield from (((step, *place), one) for place, one in parts(inner))
