"""A validation error is told by one field and one reason, whatever the models are made of."""

import json
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, StrictStr, TypeAdapter, ValidationError

from handlers.runtime.invalid import explain, render_path


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


def told(message: dict[str, Any]) -> str:
    """What is said of a chat of one message, "field: reason"."""
    body = {"messages": [message]}
    with pytest.raises(ValidationError) as raised:
        TypeAdapter(Chat).validator.validate_json(json.dumps(body))
    return ": ".join(explain(raised.value, body))


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
        ({"choice": "never"}, "choice: must be 'auto' or 'none' or an object"),
        ({"choice": {"words": []}}, "choice.words: list should have at least 1 item after validation, not 0"),
        ({"choice": {"words": ["a", 1]}}, "choice.words[1]: must be a string"),
        ({"scores": {"a": 1}}, "scores.a: string should match pattern '^[0-9]+$'"),
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
