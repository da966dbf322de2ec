import json
import time
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.chat.delta import ToolCallDelta
from handlers.chat.tool_calls.formats.registry import HERMES, LLAMA_JSON
from handlers.chat.tool_calls.parser import ToolParser, ToolText
from handlers.chat.tool_calls.tool_format import ToolFormat
from tests.unit.handlers.chat.cuts import cut

NAMES = ("get_weather", 'say "hi"')
ARGUMENTS = ("{}", '{"city": "Zürich"}', '{"a": {"b": [1, 2.50, "}</tool_call>"]},\n "c": "\\"{"}')

FRAGMENTS = st.sampled_from(
    [
        *(HERMES.write(name, arguments) for name in NAMES for arguments in ARGUMENTS),
        *(LLAMA_JSON.write(name, arguments) for name in NAMES for arguments in ARGUMENTS[:2]),
        HERMES.write("unknown", "{}"),
        '<tool_call>{"name":"get_weather","arguments":{"city":"Oslo",}}</tool_call>',
        '<tool_call>{"name": "get_weather", "parameters": {"x": 1}} </tool_call>',
        '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Os',
        '<tool_call>\n{"name": "get_wea',
        "<tool_call>",
        "</tool_call>",
        "<tool_",
        '{"name": "',
        "{",
        "; ",
        "\n",
        " ",
        "Hello",
        "é",
    ]
)
TEXTS = st.lists(FRAGMENTS, max_size=7).map("".join)
FORMATS = st.sampled_from([HERMES, LLAMA_JSON])


def parser(tool_format: ToolFormat, *, streams: bool, max_calls: int | None = None) -> ToolParser:
    ids = count()
    return ToolParser(
        tool_format,
        dict.fromkeys(NAMES, {}),
        streams=streams,
        new_id=lambda name: f"call_{next(ids)}",
        max_calls=max_calls,
    )


def read(tool_parser: ToolParser, pieces: list[str]) -> tuple[str, list[ToolCallDelta]]:
    """Content and whole calls."""
    told: list[ToolText] = [*map(tool_parser.feed, pieces), tool_parser.finish()]
    calls: list[ToolCallDelta] = []
    for piece in (piece for part in told for piece in part.calls):
        if piece.name is not None:
            assert piece.index == len(calls) and piece.id is not None
            calls.append(piece)
        else:
            last = calls[piece.index]
            calls[piece.index] = ToolCallDelta(
                index=last.index, id=last.id, name=last.name, arguments=last.arguments + piece.arguments
            )
    return "".join(part.content for part in told), calls


@given(TEXTS, FORMATS, st.booleans(), st.sampled_from([None, 1]), st.data())
def test_any_cut_of_a_text_gives_what_the_whole_gives(
    text: str, tool_format: ToolFormat, streams: bool, max_calls: int | None, data: st.DataObject
) -> None:
    def fresh() -> ToolParser:
        return parser(tool_format, streams=streams, max_calls=max_calls)

    whole = read(fresh(), [text])
    assert read(fresh(), data.draw(cut(text))) == whole
    assert read(fresh(), list(text)) == whole


@given(TEXTS, FORMATS)
def test_calls_that_are_told_whole_are_known_functions_with_valid_arguments(
    text: str, tool_format: ToolFormat
) -> None:
    _, calls = read(parser(tool_format, streams=False), [text])
    for call in calls:
        assert call.name in NAMES
        assert isinstance(json.loads(call.arguments), dict)


@given(TEXTS)
def test_words_are_never_lost_and_what_is_no_call_is_content_to_the_letter(text: str) -> None:
    content, calls = read(parser(HERMES, streams=False), [text])
    said = content + "".join(call.arguments for call in calls)
    assert all(said.count(word) == text.count(word) for word in ("Hello", "é"))
    if not calls:
        assert content == text


@pytest.mark.parametrize("tool_format", [HERMES, LLAMA_JSON])
@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_arguments_are_what_the_model_wrote(tool_format: ToolFormat, streams: bool, arguments: str) -> None:
    text = tool_format.write("get_weather", arguments)
    content, [call] = read(parser(tool_format, streams=streams), [text])
    assert (content, call.name, call.arguments) == ("", "get_weather", arguments)


@pytest.mark.parametrize("tool_format", [HERMES, LLAMA_JSON])
def test_several_calls_are_counted_and_the_blanks_between_them_are_no_content(
    tool_format: ToolFormat,
) -> None:
    text = tool_format.separator.join(tool_format.write(name, "{}") for name in NAMES) + "\n"
    tool_parser = parser(tool_format, streams=True)
    content, calls = read(tool_parser, [text])
    assert content == ""
    assert [(call.index, call.id, call.name) for call in calls] == [
        (0, "call_0", NAMES[0]),
        (1, "call_1", NAMES[1]),
    ]
    assert tool_parser.num_calls == 2


def test_words_around_calls_are_content() -> None:
    text = "I look.\n" + HERMES.write("get_weather", "{}") + "\nDone. "
    assert read(parser(HERMES, streams=False), [text])[0] == "I look.\nDone. "


def test_a_call_is_told_while_it_is_written() -> None:
    tool_parser = parser(HERMES, streams=True)
    told = tool_parser.feed('<tool_call>\n{"name": "get_weather", "arguments": {"city": "Os').calls
    assert [(call.id, call.name, call.arguments) for call in told] == [
        ("call_0", "get_weather", ""),
        (None, None, '{"city": "Os'),
    ]
    assert [call.arguments for call in tool_parser.feed('lo"}}\n').calls] == ['lo"}']
    assert tool_parser.num_calls == 0
    tool_parser.feed("</tool_call>")
    assert tool_parser.num_calls == 1


def test_prose_is_told_at_once_but_for_what_may_begin_a_call() -> None:
    tool_parser = parser(HERMES, streams=False)
    assert tool_parser.feed("Hello <too").content == "Hello"
    assert tool_parser.feed("t>").content == " <toot>"


def test_an_object_that_does_not_start_the_answer_is_no_call_without_tags() -> None:
    text = "So: " + LLAMA_JSON.write("get_weather", "{}")
    assert read(parser(LLAMA_JSON, streams=False), [text]) == (text, [])


def test_a_call_that_lacks_its_closing_tag_at_the_end_is_a_call() -> None:
    content, [call] = read(parser(HERMES, streams=False), ['<tool_call>{"name": "get_weather"}\n</tool'])
    assert (content, call.arguments) == ("", "{}")


def test_a_call_cut_short_while_it_is_told_keeps_what_was_told() -> None:
    tool_parser = parser(HERMES, streams=True)
    content, [call] = read(tool_parser, ['<tool_call>\n{"name": "get_weather", "arguments": {"city": "O'])
    assert (content, call.arguments, tool_parser.num_calls) == ("", '{"city": "O', 0)


def test_arguments_nested_beyond_what_decodes_are_content() -> None:
    text = HERMES.write("get_weather", '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}")
    assert read(parser(HERMES, streams=False), [text]) == (text, [])


def test_calls_beyond_the_limit_are_left_out() -> None:
    text = "\n".join(HERMES.write("get_weather", "{}") for _ in range(3))
    content, calls = read(parser(HERMES, streams=True, max_calls=1), [text])
    assert (content, len(calls)) == ("", 1)


@pytest.mark.parametrize("streams", [True, False])
@pytest.mark.by_turns("block", "streams")
@pytest.mark.parametrize("block", ["<tool_call>{", '<tool_call>{"', '<tool_call>{"a": "b"'])
def test_blocks_that_begin_inside_of_each_other_are_not_each_read_to_the_end(
    block: str, streams: bool
) -> None:
    """20,000 of them, which a long answer can have, took minutes on the event loop."""
    text = block * 20_000
    started = time.process_time()
    assert read(parser(HERMES, streams=streams), [text]) == (text, [])
    assert time.process_time() - started < 5


def test_after_short_blocks_that_are_none_a_call_is_still_found() -> None:
    call = HERMES.write("get_weather", "{}")
    content, calls = read(parser(HERMES, streams=False), ["<tool_call>x" * 5_000 + call])
    assert content == "<tool_call>x" * 5_000
    assert [found.name for found in calls] == ["get_weather"]
