"""Random tools and calls of them, and what a parser tells joined."""

import json
from collections.abc import Iterable, Mapping
from itertools import count

import msgspec
from hypothesis import strategies as st

from handlers.chat.delta import ToolCallDelta, join_pieces
from handlers.chat.tool_calls.formats.registry import TOOL_FORMATS
from handlers.chat.tool_calls.formats.tagged_values import TaggedValuesFormat
from handlers.chat.tool_calls.parser import ToolParser
from handlers.chat.tool_calls.tool_format import Schema, ToolFormat

NAMES = ("get", "get_weather", "send-mail", "math.add")
MARKUP = sorted({text for known in TOOL_FORMATS for text in known.tags if text.strip()})
PIECES = st.sampled_from(
    [*MARKUP, "\n", " ", '"', "'", "\\", "{", "}", "[", ")", ",", "=", "é", "日", "🙂", "a"]
)
STRINGS = st.text(max_size=6) | st.lists(PIECES, max_size=4).map("".join)
SCALARS: Mapping[str, st.SearchStrategy[object]] = {
    "string": STRINGS,
    "integer": st.integers(-(10**12), 10**12),
    "number": st.floats(allow_nan=False, allow_infinity=False),
    "boolean": st.booleans(),
    "null": st.none(),
}
NESTED = st.recursive(
    st.one_of(*SCALARS.values()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(STRINGS, inner, max_size=3),
    max_leaves=6,
)
VALUES: Mapping[str, st.SearchStrategy[object]] = {
    **SCALARS,
    "array": st.lists(NESTED, max_size=3),
    "object": st.dictionaries(STRINGS, NESTED, max_size=3),
}
# Made here once: a strategy that each example makes anew takes longer than its drawing.
TYPES = st.dictionaries(st.sampled_from("abcde"), st.sampled_from(sorted(VALUES)), max_size=3)


class Case(msgspec.Struct, frozen=True):
    """Calls, each a name and its arguments, of tools with these schemas."""

    tools: dict[str, Schema]
    calls: list[tuple[str, dict[str, object]]]

    def written(self) -> list[tuple[str, str]]:
        return [(name, json.dumps(arguments, ensure_ascii=False)) for name, arguments in self.calls]


@st.composite
def cases(draw: st.DrawFn, tool_format: ToolFormat) -> Case:
    tools: dict[str, Schema] = {}
    calls: list[tuple[str, dict[str, object]]] = []
    for name in NAMES:
        types = draw(TYPES)
        tools[name] = {"type": "object", "properties": {key: {"type": kind} for key, kind in types.items()}}
        if draw(st.booleans()):
            calls.append((name, {key: draw(VALUES[kind]) for key, kind in types.items()}))
    case = Case(tools, calls[:2] or [("get", {})])
    return case if can_be_written(tool_format, case) else Case(tools, [("get", {})])


def can_be_written(tool_format: ToolFormat, case: Case) -> bool:
    """A tag inside of a value that is written as it is would end it."""
    if not isinstance(tool_format, TaggedValuesFormat):
        return True
    end = tool_format.value_end
    return all(end not in str(value) for _, arguments in case.calls for value in arguments.values())


def parser(
    tool_format: ToolFormat, tools: Mapping[str, Schema], *, streams: bool, max_calls: int | None = None
) -> ToolParser:
    ids = count()
    return ToolParser(
        tool_format,
        tools,
        streams=streams,
        new_id=lambda name: f"call_{next(ids)}",
        max_calls=max_calls,
    )


def read(
    tool_parser: ToolParser, pieces: Iterable[str], *, is_cut: bool = False
) -> tuple[str, list[ToolCallDelta]]:
    """Content and whole calls."""
    told = [*map(tool_parser.feed, pieces), tool_parser.finish(is_cut=is_cut)]
    joined = join_pieces(piece for part in told for piece in part.calls)
    assert [call.index for call in joined] == list(range(len(joined)))
    assert all(call.id is not None and call.name is not None for call in joined)
    return "".join(part.content for part in told), list(joined)
