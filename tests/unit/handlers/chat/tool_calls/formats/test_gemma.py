"""Gemma 4's notation of arguments, as its template and its models write it."""

import json

import pytest

from handlers.chat.structured_output.structural_tag import written_length
from handlers.chat.tool_calls.formats.gemma import GEMMA_4
from handlers.chat.tool_calls.tool_format import BoundTool, Schema
from tests.unit.handlers.chat.tool_calls.tool_cases import parser, read

SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "wet": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "at": {"type": "object"},
    },
}
streamed_and_not = pytest.mark.parametrize("streams", [False, True])


def block(arguments: str) -> str:
    return f"<|tool_call>call:get{arguments}<tool_call|>"


@streamed_and_not
@pytest.mark.parametrize(
    ("written", "arguments"),
    [
        ("{}", {}),
        ('{city:<|"|>Oslo<|"|>,days:3,wet:true}', {"city": "Oslo", "days": 3, "wet": True}),
        ('{city:<|"|>{a:[1],"b\\n}<|"|>}', {"city": '{a:[1],"b\\n}'}),
        ('{tags:[<|"|>a, b<|"|>,<|"|><|"|>],wet:False}', {"tags": ["a, b", ""], "wet": False}),
        (
            "{at:{lat:-1.5e3,deep:{none:null,list:[[],{}]}}}",
            {"at": {"lat": -1500.0, "deep": {"none": None, "list": [[], {}]}}},
        ),
        ('{ city : <|"|>Oslo<|"|> , days : 3 }', {"city": "Oslo", "days": 3}),
        ('{<|"|>a key<|"|>:1,"another \\"key\\"":2}', {"a key": 1, 'another "key"': 2}),
        ('{"city": "O\\u0073lo", "at": {"a": [1, "x"]}}', {"city": "Oslo", "at": {"a": [1, "x"]}}),
        ("{city:New York,days:3}", {"city": "New York", "days": 3}),
        ("{city:42,days:None}", {"city": "42", "days": "None"}),
        ("{other:42}", {"other": 42}),
    ],
)
def test_arguments_become_json(written: str, arguments: object, streams: bool) -> None:
    for pieces in ([block(written)], list(block(written))):
        content, [call] = read(parser(GEMMA_4, {"get": SCHEMA}, streams=streams), pieces)
        assert (content, json.loads(call.arguments)) == ("", arguments)


@pytest.mark.parametrize(
    "written",
    ["{city}", "{city:}", "{:1}", "{a b:1}", "{days:3 4]}", '{"a":"\\x"}', "{days:1;wet:<x>}", "(1)"],
)
def test_what_is_no_notation_is_content_to_the_letter(written: str) -> None:
    text = block(written)
    assert read(parser(GEMMA_4, {"get": SCHEMA}, streams=False), text) == (text, [])


def test_brackets_nested_deep_are_read_in_bounded_depth() -> None:
    text = block("{at:" + "[" * 50_000 + "]" * 50_000 + "}")
    content, calls = read(parser(GEMMA_4, {"get": SCHEMA}, streams=False), [text])
    assert (content, calls) == (text, [])  # no decoder of JSON reads that


def test_calls_follow_each_other_as_the_template_writes_them() -> None:
    text = GEMMA_4.write_all(("get", '{"wet": true, "city": "Oslo"}'), ("get", "{}"))
    assert text == block('{city:<|"|>Oslo<|"|>,wet:true}') + block("{}")


def test_a_value_is_demanded_in_the_notation_unless_its_schema_says_more() -> None:
    def demanded(schema: Schema) -> str:
        properties = {"properties": {"a": schema}, "required": ["a"]}
        return json.dumps(GEMMA_4.call(BoundTool(name="get", schema=properties)).arguments)

    quote = json.dumps('<|"|>')
    for plain in ({"type": "string"}, {"type": "array", "items": {"type": "string"}}):
        assert quote in demanded(plain) and "json_schema" not in demanded(plain)
    for more in ({"type": "string", "format": "date"}, {"type": "array", "uniqueItems": True}):
        assert "json_schema" in demanded(more)


def nested(num_levels: int, num_members: int) -> Schema:
    properties: dict[str, Schema] = {f"p{number}": {"type": "string"} for number in range(num_members)}
    if num_levels > 1:
        properties["z"] = nested(num_levels - 1, num_members)
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize("num_levels", [1, 2, 3, 4])
@pytest.mark.parametrize("num_members", [2, 6, 23])
def test_the_grammar_of_a_small_schema_is_small(num_levels: int, num_members: int) -> None:
    """A schema of 800 bytes would have a gigabyte, if each order of its members were written."""
    schema = nested(num_levels, num_members)
    arguments = GEMMA_4.call(BoundTool(name="get", schema=schema)).arguments
    assert written_length(arguments) == pytest.approx(len(json.dumps(arguments)), rel=0.3)
    assert written_length(arguments) < 8192 + 2 * written_length(schema)


def test_a_text_of_a_bounded_length_may_be_json_which_may_have_any_character() -> None:
    schema: Schema = {
        "type": "object",
        "properties": {"code": {"type": "string", "maxLength": 500}},
        "required": ["code"],
    }
    assert '"maxLength": 500' in json.dumps(GEMMA_4.call(BoundTool(name="get", schema=schema)).arguments)
