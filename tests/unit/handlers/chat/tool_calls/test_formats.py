"""Every format: what it writes is read back, however the text arrives, and whatever its strings hold."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.chat.tool_calls.formats.kimi import KIMI_K2
from handlers.chat.tool_calls.formats.mistral import MISTRAL, MISTRAL_LIST
from handlers.chat.tool_calls.formats.registry import (
    DEEPSEEK_V32,
    QWEN_CODER,
    TOOL_FORMATS,
    tool_format_named,
)
from handlers.chat.tool_calls.tool_format import Schema, ToolFormat
from tests.support.selection.effort import trials
from tests.unit.handlers.chat.cuts import cut
from tests.unit.handlers.chat.tool_calls.tool_cases import NAMES, cases, parser, read

every_format = pytest.mark.parametrize("tool_format", TOOL_FORMATS, ids=lambda known: known.name)
streamed_and_not = pytest.mark.parametrize("streams", [False, True])


@every_format
@streamed_and_not
@settings(max_examples=trials(6, whole=100))
@given(data=st.data())
def test_what_is_written_is_read_however_the_text_is_cut(
    tool_format: ToolFormat, streams: bool, data: st.DataObject
) -> None:
    case = data.draw(cases(tool_format))
    text = tool_format.write_all(*case.written())
    whole = read(parser(tool_format, case.tools, streams=streams), [text])
    content, calls = whole
    assert content == ""
    assert [(call.name, json.loads(call.arguments)) for call in calls] == case.calls
    assert read(parser(tool_format, case.tools, streams=streams), data.draw(cut(text))) == whole
    assert read(parser(tool_format, case.tools, streams=streams), text) == whole


@every_format
@settings(max_examples=trials(6, whole=100))
@given(data=st.data())
def test_the_calls_are_the_same_whether_they_are_told_while_written_or_whole(
    tool_format: ToolFormat, data: st.DataObject
) -> None:
    case = data.draw(cases(tool_format))
    text = data.draw(st.sampled_from(["", "\n", " "])) + tool_format.write_all(*case.written()) + "\n"
    held, streamed = (
        read(parser(tool_format, case.tools, streams=streams), [text]) for streams in (False, True)
    )
    assert held == streamed


@every_format
@settings(max_examples=trials(6, whole=100))
@given(data=st.data())
def test_a_call_cut_short_shows_no_markup_and_keeps_what_there_is_of_its_arguments(
    tool_format: ToolFormat, data: st.DataObject
) -> None:
    case = data.draw(cases(tool_format))
    text = tool_format.write_all(*case.written())
    _, whole = read(parser(tool_format, case.tools, streams=True), [text])
    start = text[
        : data.draw(st.integers(len(tool_format.marker or "") if tool_format.is_marked else 1, len(text)))
    ]
    content, calls = read(parser(tool_format, case.tools, streams=True), start, is_cut=True)
    assert content == ""
    for call, complete in zip(calls, whole, strict=False):
        assert call.name == complete.name and complete.arguments.startswith(call.arguments)


@every_format
@settings(max_examples=trials(6, whole=100))
@given(data=st.data())
def test_a_call_that_is_not_bound_and_breaks_off_by_itself_is_content_to_the_letter(
    tool_format: ToolFormat, data: st.DataObject
) -> None:
    case = data.draw(cases(tool_format))
    text = tool_format.write_all(case.written()[0])
    start = text[: data.draw(st.integers(1, len(text)))]
    content, calls = read(parser(tool_format, case.tools, streams=False), start)
    if calls:  # nothing but its closing tags is missing, and arguments that it does not need
        assert content == "" and json.loads(calls[0].arguments).items() <= case.calls[0][1].items()
    else:
        assert content == start


@every_format
@streamed_and_not
def test_a_call_of_an_unknown_function_is_content_to_the_letter(
    tool_format: ToolFormat, streams: bool
) -> None:
    text = f"I look.\n{tool_format.write('unknown', '{}')} So."
    assert read(parser(tool_format, dict.fromkeys(NAMES, {}), streams=streams), text) == (text, [])


@every_format
@streamed_and_not
@pytest.mark.parametrize("is_cut", [False, True])
def test_words_are_content_to_the_letter(tool_format: ToolFormat, streams: bool, is_cut: bool) -> None:
    for text in ("", " ", "\n\n", "Hi ", "{", "[", "[1, 2]", '{"name": 1}', "<tool", "[Link](get)"):
        if streams and tool_format.start and text[:1] in tuple(tool_format.start):
            continue  # no grammar for calls that are demanded lets this through
        for pieces in ([text], list(text)):
            told = read(parser(tool_format, {"get": {}}, streams=streams), pieces, is_cut=is_cut)
            assert told == (text, []), pieces


@every_format
def test_a_call_after_words_is_a_call_if_its_format_has_a_marker(tool_format: ToolFormat) -> None:
    written = tool_format.write("get", '{"a": 1}')
    tools = {"get": {"properties": {"a": {"type": "integer"}}}}
    content, calls = read(parser(tool_format, tools, streams=False), f"I look.\n{written}\nDone.")
    if tool_format.is_marked:
        assert [call.arguments for call in calls] == ['{"a": 1}']
        assert content.split() == ["I", "look.", "Done."]
    else:
        assert (content, calls) == (f"I look.\n{written}\nDone.", [])


@every_format
def test_a_call_is_told_as_soon_as_its_name_is_known(tool_format: ToolFormat) -> None:
    tools = {"get": {"properties": {"city": {"type": "string"}}}}
    text = tool_format.write("get", '{"city": "Oslo and Rome"}')
    tool_parser = parser(tool_format, tools, streams=True)
    [first, *_] = tool_parser.feed(text[: text.index("Rome")]).calls
    assert (first.id, first.name, first.arguments) == ("call_0", "get", "") or tool_format is KIMI_K2
    assert tool_parser.num_calls == 0


@streamed_and_not
def test_a_value_that_is_no_json_though_its_type_asks_for_it_is_a_string(streams: bool) -> None:
    tools: dict[str, Schema] = {"get": {"properties": {key: {"type": "array"} for key in "abcd"}}}
    arguments = {"a": "[1, 2", "b": "x", "c": [1, "</td>"], "d": True}
    written = QWEN_CODER.write("get", json.dumps(arguments))
    [call] = read(parser(QWEN_CODER, tools, streams=streams), written)[1]
    assert json.loads(call.arguments) == arguments | {"d": "true"}


def test_every_format_has_names_of_its_own() -> None:
    names = [name for known in TOOL_FORMATS for name in (known.name, *known.aliases)]
    assert len(names) == len(set(names))
    assert {tool_format_named(name) for name in names} == set(TOOL_FORMATS)
    assert tool_format_named("none such") is None


def test_an_identifier_that_the_model_writes_is_the_calls() -> None:
    tools: dict[str, Schema] = {"get": {}}
    text = KIMI_K2.write("get", "{}").replace("get:0", "get:7")
    assert [call.id for call in read(parser(KIMI_K2, tools, streams=True), [text])[1]] == ["functions.get:7"]
    text = "[TOOL_CALLS]get[CALL_ID]a1B2c3D4e[ARGS]{}"
    assert [call.id for call in read(parser(MISTRAL, tools, streams=True), [text])[1]] == ["a1B2c3D4e"]


@streamed_and_not
@pytest.mark.parametrize(
    ("written", "value"),
    [('string="true">5', "5"), ('string="false">5', 5), ('string="false">[1, "a"]', [1, "a"])],
)
def test_a_format_whose_model_says_which_values_are_strings_is_believed_where_the_schema_is_silent(
    written: str, value: object, streams: bool
) -> None:
    text = DEEPSEEK_V32.write("get", '{"a": "?"}').replace('string="true">?', written)
    [call] = read(parser(DEEPSEEK_V32, {"get": {}}, streams=streams), text)[1]
    assert json.loads(call.arguments) == {"a": value}


def test_blanks_that_families_leave_between_tags_change_nothing() -> None:
    tools = {"get": {"properties": {"a": {"type": "string"}}}}
    for name, text in {
        "hermes": '<tool_call>{"arguments": {"a":"x"}, "name" : "get"}</tool_call>',
        "mistral_list": '[TOOL_CALLS] [ {"name": "get", "arguments": {"a":"x"}} ]',
        "mistral": '[TOOL_CALLS] get[ARGS] {"a":"x"}',
        "deepseek_v3": "<｜tool▁calls▁begin｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>get\n```json\n"
        '{"a":"x"}\n```<｜tool▁call▁end｜>\n<｜tool▁calls▁end｜>',
        "deepseek_v32": '<｜DSML｜function_calls>\n<｜DSML｜invoke name="get">\n<｜DSML｜parameter name="a" '
        'string="true">x</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
        "deepseek_v4": '<｜DSML｜tool_calls><｜DSML｜invoke name="get"><｜DSML｜parameter name="a" '
        'string="true">x</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜tool_calls>',
        "deepseek_v41": '<｜DSML｜ calls>\n<｜DSML｜ invoke name="get">\n<｜DSML｜ parameter name="a" '
        'string="true">x</｜DSML｜ parameter>\n</｜DSML｜ invoke>\n</｜DSML｜ calls>',
        "openai": '<|channel|>commentary to=functions.get <|constrain|>json<|message|>{"a":"x"}<|call|>',
        "qwen3_coder": "<tool_call><function=get><parameter=a>x</parameter></function></tool_call>",
        "glm45": "<tool_call>get<arg_key>a</arg_key><arg_value>x</arg_value></tool_call>",
        "pythonic": "<|python_start|>[ get( a = 'x', ) ]<|python_end|>",
        "llama3_json": '<|python_tag|>{"name":"get","parameters":{"a":"x"}}',
        "phi4_mini_json": '<|tool_call|>{"name": "get", "arguments": {"a":"x"}}<|/tool_call|>',
        "granite": '<|tool_call|> [{"name": "get", "arguments": {"a":"x"}}]',
    }.items():
        tool_format = tool_format_named(name)
        assert tool_format is not None
        content, calls = read(parser(tool_format, tools, streams=False), [text])
        assert [(call.name, json.loads(call.arguments)) for call in calls] == [("get", {"a": "x"})], content


def test_what_follows_a_malformed_call_of_several_is_content_and_those_before_it_stay_calls() -> None:
    text = '[TOOL_CALLS][{"name": "get", "arguments": {}}, {"name": "get", "arguments": nil}]'
    content, calls = read(parser(MISTRAL_LIST, {"get": {}}, streams=False), text)
    assert len(calls) == 1
    assert content == ', {"name": "get", "arguments": nil}]'
