"""A validation error is told by one field and one reason, whatever the models are made of."""

import json
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, StrictStr, ValidationError

from verbatim_kit.errors import Violation
from verbatim_kit.runtime.json_types import StrictFloat, StrictInt
from verbatim_kit.runtime.problem import InvalidValue
from verbatim_kit.runtime.reading.fail_fast import fail_fast_schema, fail_fast_validator
from verbatim_kit.runtime.reading.invalid import explain, render_path


class Text(BaseModel):
    type: Literal["text"]
    text: StrictStr


class Image(BaseModel):
    type: Literal["image", "photo"]
    url: StrictStr


class Picture(BaseModel):
    type: Literal["image"]


class Shout(BaseModel):
    words: Annotated[list[StrictStr], Field(min_length=1)]


class Message(BaseModel):
    content: StrictStr | list[Text | Image] | None = None
    part: Annotated[Text | Image, Field(discriminator="type")] | None = None
    choice: Literal["auto", "none"] | Shout | None = None
    cover: Text | Image | Picture | None = None
    scores: dict[Annotated[str, Field(pattern="^[0-9]+$")], Annotated[float, Field(ge=-1)]] | None = None
    alias: Annotated[StrictStr | None, Field(alias="as")] = None


class Chat(BaseModel):
    messages: list[Message]


def invalid_value_of(model: Any, body: Any) -> InvalidValue:
    schema = fail_fast_schema(model)
    with pytest.raises(ValidationError) as raised:
        fail_fast_validator(schema).validate_json(json.dumps(body))
    return explain(raised.value, body, schema)


def told(message: dict[str, Any]) -> str:
    """Return the error about a chat of one message, as "field: reason"."""
    invalid = invalid_value_of(Chat, {"messages": [message]})
    return f"{invalid.field}: {invalid.reason}"


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"content": 5}, "content: must be a string or an array"),
        ({"content": [5]}, "content[0]: must be an object"),
        ({"content": [{"type": "text"}]}, "content[0].text: is missing"),
        ({"content": [{"type": "image", "url": 1}]}, "content[0].url: must be a string"),
        ({"content": [{"type": "sound"}]}, "content[0].type: must be 'text' or 'image' or 'photo'"),
        ({"content": [{"type": "text", "text": "a"}, {"text": "a"}]}, "content[1].type: is missing"),
        ({"cover": {"type": "sound"}}, "cover.type: must be 'text' or 'image' or 'photo'"),
        ({"part": {"type": "photo"}}, "part.url: is missing"),
        ({"part": {"type": "sound"}}, "part.type: must be 'text' or 'image' or 'photo'"),
        ({"part": {"url": "a"}}, "part.type: is missing"),
        ({"part": {"type": None, "url": "a"}}, "part.type: must be 'text' or 'image' or 'photo'"),
        ({"choice": "never"}, "choice: must be 'auto' or 'none' or an object"),
        ({"choice": {"words": []}}, "choice.words: must have at least 1 item"),
        ({"choice": {"words": ["a", 1]}}, "choice.words[1]: must be a string"),
        ({"scores": {"a": 1}}, "scores.a: must match the pattern ^[0-9]+$"),
        ({"scores": {"1": -2}}, "scores.1: must be greater than or equal to -1"),
        ({"as": 1}, "as: must be a string"),
    ],
)
def test_the_field_and_the_reason_are_those_of_the_document(message: dict[str, Any], words: str) -> None:
    assert told(message) == f"messages[0].{words}"


def test_a_key_called_like_a_type_is_still_a_field() -> None:
    assert (
        told({"content": [{"type": "text", "text": {"str": 1}}]})
        == "messages[0].content[0].text: must be a string"
    )


def test_paths_are_written_as_in_javascript() -> None:
    assert render_path(("a", 0, 1, "b")) == "a[0][1].b"
    assert render_path(()) == ""


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SystemMessage(Closed):
    role: Literal["system"]
    content: StrictStr | list[Text]


class Location(Closed):
    url: StrictStr
    detail: Literal["auto", "low", "high"] = "auto"


class ImagePart(Closed):
    type: Literal["image"]
    image: Location
    detail: Literal["auto", "low"] = "auto"


class TextPart(Closed):
    type: Literal["text"]
    text: StrictStr


class UserMessage(Closed):
    role: Literal["user"]
    content: StrictStr | Annotated[list[TextPart | ImagePart], Field(min_length=1)]
    name: Annotated[StrictStr, Field(max_length=3)] = ""


class ToolMessage(Closed):
    role: Literal["tool"]
    content: StrictStr
    tool_call_id: StrictStr


class Item(Closed):
    """A message whose tag may be absent, beside others that need theirs."""

    type: Literal["message"] = "message"
    role: Literal["user", "assistant"]
    content: StrictStr


class CallItem(Closed):
    type: Literal["call"]
    name: StrictStr


class OutputItem(Closed):
    type: Literal["output"]
    name: StrictStr
    output: StrictStr


class NamedFunction(Closed):
    name: StrictStr


class NamedChoice(Closed):
    type: Literal["function"]
    function: NamedFunction


class AllowedChoice(Closed):
    type: Literal["allowed"]
    mode: Literal["auto", "required"]


Stops = Annotated[list[StrictStr], Field(min_length=1, max_length=2)]


TokenId = Annotated[StrictInt, Field(ge=0)]


class Request(Closed):
    messages: Annotated[list[SystemMessage | UserMessage | ToolMessage], Field(min_length=1)] = []
    items: list[Item | CallItem | OutputItem] = []
    choice: Literal["none", "auto"] | NamedChoice | AllowedChoice = "auto"
    prompt: StrictStr | list[StrictStr] | list[TokenId] | list[list[TokenId]] = ""
    stop: StrictStr | Stops | None = None
    temperature: Annotated[StrictFloat, Field(ge=0, le=2)] = 1
    audio: None = None
    top: Annotated[StrictInt, Field(gt=0, lt=9)] = 1
    name: Annotated[StrictStr, Field(pattern="^[a-z]+$")] = "a"


USER = {"role": "user", "content": "a"}
IMAGE = {"type": "image", "image": {"url": "a"}}


@pytest.mark.parametrize(
    ("body", "field", "reason", "violation"),
    [
        ({"messages": 5}, "messages", "must be an array", Violation.WRONG_TYPE),
        (
            {"messages": []},
            "messages",
            "must have at least 1 item",
            Violation.TOO_SHORT,
        ),
        ({"audio": {}}, "audio", "must be null", Violation.UNSUPPORTED_FIELD),
        ({"mesages": []}, "mesages", "is not a field of this object", Violation.UNKNOWN),
        ({"messages": [USER, "a"]}, "messages[1]", "must be an object", Violation.WRONG_TYPE),
        ({"messages": [{"content": "a"}]}, "messages[0].role", "is missing", Violation.MISSING),
        (
            {"messages": [{"role": "robot", "content": [{"type": "text"}]}]},
            "messages[0].role",
            "must be 'system' or 'user' or 'tool'",
            Violation.UNSUPPORTED_VALUE,
        ),
        (
            {"messages": [{**USER, "role": 7}]},
            "messages[0].role",
            "must be 'system' or 'user' or 'tool'",
            Violation.WRONG_TYPE,
        ),
        ({"messages": [{"role": "user"}]}, "messages[0].content", "is missing", Violation.MISSING),
        ({"messages": [{"role": "tool"}]}, "messages[0].content", "is missing", Violation.MISSING),
        (
            {"messages": [{"role": "tool", "content": "a"}]},
            "messages[0].tool_call_id",
            "is missing",
            Violation.MISSING,
        ),
        (
            {"messages": [{**USER, "names": "a"}]},
            "messages[0].names",
            "is not a field of this object",
            Violation.UNKNOWN,
        ),
        (
            {"messages": [{**USER, "content": 5}]},
            "messages[0].content",
            "must be a string or an array",
            Violation.WRONG_TYPE,
        ),
        (
            {"messages": [{**USER, "content": []}]},
            "messages[0].content",
            "must have at least 1 item",
            Violation.TOO_SHORT,
        ),
        (
            {"messages": [{**USER, "content": [IMAGE, {"type": "sound"}]}]},
            "messages[0].content[1].type",
            "must be 'text' or 'image'",
            Violation.UNSUPPORTED_VALUE,
        ),
        (
            {"messages": [{**USER, "content": [{**IMAGE, "detail": "huge"}]}]},
            "messages[0].content[0].detail",
            "must be 'auto' or 'low'",
            Violation.UNSUPPORTED_VALUE,
        ),
        (
            {"messages": [{**USER, "content": [{**IMAGE, "image": {"url": "a", "detail": "huge"}}]}]},
            "messages[0].content[0].image.detail",
            "must be 'auto', 'low' or 'high'",
            Violation.UNSUPPORTED_VALUE,
        ),
        (
            {"messages": [{**USER, "content": [{**IMAGE, "image": "a"}]}]},
            "messages[0].content[0].image",
            "must be an object",
            Violation.WRONG_TYPE,
        ),
        (
            {"messages": [{**USER, "name": "anna"}]},
            "messages[0].name",
            "must have at most 3 characters",
            Violation.TOO_LONG,
        ),
        ({"items": [{"role": "user"}]}, "items[0].content", "is missing", Violation.MISSING),
        ({"items": [{"type": "call"}]}, "items[0].name", "is missing", Violation.MISSING),
        ({"items": [{"type": "output", "name": "a"}]}, "items[0].output", "is missing", Violation.MISSING),
        (
            {"items": [{"role": "robot", "content": "a"}]},
            "items[0].role",
            "must be 'user' or 'assistant'",
            Violation.UNSUPPORTED_VALUE,
        ),
        (
            {"choice": "never"},
            "choice",
            "must be 'none' or 'auto' or an object",
            Violation.UNSUPPORTED_VALUE,
        ),
        ({"choice": 5}, "choice", "must be 'none' or 'auto' or an object", Violation.WRONG_TYPE),
        ({"choice": {"type": "function"}}, "choice.function", "is missing", Violation.MISSING),
        (
            {"choice": {"type": "tool"}},
            "choice.type",
            "must be 'function' or 'allowed'",
            Violation.UNSUPPORTED_VALUE,
        ),
        (
            {"choice": {"type": "allowed", "mode": "any"}},
            "choice.mode",
            "must be 'auto' or 'required'",
            Violation.UNSUPPORTED_VALUE,
        ),
        (
            {"stop": []},
            "stop",
            "must have at least 1 item",
            Violation.TOO_SHORT,
        ),
        (
            {"stop": ["a", "b", "c"]},
            "stop",
            "must have at most 2 items",
            Violation.TOO_LONG,
        ),
        ({"stop": ["a", 1]}, "stop[1]", "must be a string", Violation.WRONG_TYPE),
        ({"prompt": {"a": 1}}, "prompt", "must be a string or an array", Violation.WRONG_TYPE),
        ({"prompt": ["a", 1]}, "prompt[1]", "must be a string", Violation.WRONG_TYPE),
        ({"prompt": [1, "a"]}, "prompt[1]", "must be an integer", Violation.WRONG_TYPE),
        ({"prompt": [-1]}, "prompt[0]", "must be greater than or equal to 0", Violation.TOO_SMALL),
        ({"prompt": [[1], [2, "a"]]}, "prompt[1][1]", "must be an integer", Violation.WRONG_TYPE),
        ({"temperature": -1}, "temperature", "must be greater than or equal to 0", Violation.TOO_SMALL),
        ({"temperature": 2.5}, "temperature", "must be less than or equal to 2", Violation.TOO_LARGE),
        ({"temperature": "hot"}, "temperature", "must be a number", Violation.WRONG_TYPE),
        ({"temperature": None}, "temperature", "must be a number", Violation.WRONG_TYPE),
        ({"top": 0}, "top", "must be greater than 0", Violation.TOO_SMALL),
        ({"top": 9}, "top", "must be less than 9", Violation.TOO_LARGE),
        ({"top": 1.5}, "top", "must be an integer", Violation.WRONG_TYPE),
        ({"name": "A"}, "name", "must match the pattern ^[a-z]+$", Violation.INVALID_VALUE),
        ([], "", "The body must be an object", Violation.WRONG_TYPE),
    ],
    ids=lambda value: json.dumps(value) if isinstance(value, dict | list) else "",
)
def test_one_alternative_speaks_for_a_union_and_says_what_kind_of_fault_it_is(
    body: Any, field: str, reason: str, violation: Violation
) -> None:
    assert invalid_value_of(Request, body)[:3] == (field, reason, violation)


def test_what_stands_in_the_field_is_told_with_the_fault() -> None:
    assert invalid_value_of(Request, {"messages": [USER, {**USER, "name": "anna"}]}).given == "anna"
    assert invalid_value_of(Request, {"stop": ["a", 1]}).given == 1
    assert invalid_value_of(Request, {"messages": [{"role": "user"}]}).given is None
    assert invalid_value_of(Chat, {"messages": [{"part": {"type": "sound"}}]}).given == "sound"


class Call(Closed):
    """A part whose tag is also the name of one of its fields."""

    type: Literal["call"]
    call: StrictStr


class Parts(Closed):
    content: StrictStr | list[Annotated[TextPart | Call, Field(discriminator="type")]]


@pytest.mark.parametrize(
    "part", [{"type": "text", "text": "a", "foo": 1}, {"type": "call", "call": "a", "foo": {"call": 1}}]
)
def test_an_unknown_field_is_told_though_its_alternative_is_called_as_another_field(
    part: dict[str, Any],
) -> None:
    invalid = invalid_value_of(Parts, {"content": [part]})
    assert invalid == ("content[0].foo", "is not a field of this object", Violation.UNKNOWN, part["foo"])


class Inputs(Closed):
    input: (
        StrictStr
        | Annotated[list[StrictStr], Field(max_length=3)]
        | list[TokenId]
        | Annotated[list[list[TokenId]], Field(max_length=3)]
    )


@pytest.mark.parametrize("item", ["a", [1]])
def test_an_array_that_is_too_long_is_at_fault_rather_than_its_items(item: Any) -> None:
    invalid = invalid_value_of(Inputs, {"input": [item] * 4})
    assert invalid[:3] == ("input", "must have at most 3 items", Violation.TOO_LONG)


class Regex(Closed):
    regex: StrictStr


class Grammar(Closed):
    grammar: StrictStr


class Schema(Closed):
    schema_: Annotated[dict[str, Any] | StrictStr, Field(alias="schema")]


class Form(Closed):
    form: Regex | Grammar | Schema | None = None


@pytest.mark.parametrize(
    ("form", "field", "reason", "violation"),
    [
        ({}, "form", "must have one of regex, grammar or schema", Violation.INVALID_VALUE),
        (
            {"regex": "a", "schema": {}},
            "form",
            "may have only one of schema and regex",
            Violation.INVALID_VALUE,
        ),
        ({"foo": 1}, "form.foo", "is not a field of this object", Violation.UNKNOWN),
        ({"regex": "a", "foo": 1}, "form.foo", "is not a field of this object", Violation.UNKNOWN),
        ({"schema": 5}, "form.schema", "must be an object or a string", Violation.WRONG_TYPE),
    ],
)
def test_alternatives_that_no_constant_tells_apart_are_told_by_their_fields(
    form: Any, field: str, reason: str, violation: Violation
) -> None:
    assert invalid_value_of(Form, {"form": form})[:3] == (field, reason, violation)
