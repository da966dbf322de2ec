"""Tests which bodies are short enough to be prepared without a thread."""

import pytest
from pydantic import BaseModel

from handlers.concurrency.body_size import is_short, num_characters


class Part(BaseModel):
    text: str = "a default is not sent"
    schema_: dict[str, object] | None = None


class Body(BaseModel):
    parts: list[Part]
    count: int | None = None


@pytest.mark.parametrize(
    ("body", "limit", "expected"),
    [
        (Body(parts=[]), 0, True),
        (Body(parts=[Part()]), 0, True),
        (Body(parts=[Part(text="abc"), Part(text="de")]), 5, True),
        (Body(parts=[Part(text="abc"), Part(text="def")]), 5, False),
        (Body(parts=[], count=7), 0, False),
        (Body(parts=[Part(schema_={})]), 1000, False),
    ],
)
def test_texts_count_by_their_length_and_free_json_is_never_short(
    body: Body, limit: int, expected: bool
) -> None:
    assert is_short(body, limit) is expected


@pytest.mark.parametrize("texts", [[], [""], ["abc"], ["a", "bc", "", "def"]])
def test_short_is_what_has_no_more_characters_than_are_counted(texts: list[str]) -> None:
    body = Body(parts=[Part(text=text) for text in texts], count=len(texts))
    size = num_characters(body, 1000)
    assert [is_short(body, most) for most in range(size + 3)] == [most >= size for most in range(size + 3)]


def test_a_long_list_is_not_read_to_its_end() -> None:
    class Endless(list[Part]):
        def __iter__(self):  # type: ignore[no-untyped-def,explicit-override]  # of a test
            while True:
                yield Part(text="abc")

    body = Body(parts=[])
    body.parts = Endless()
    assert not is_short(body, 1000)
