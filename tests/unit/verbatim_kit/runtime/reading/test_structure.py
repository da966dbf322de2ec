"""Bodies with more values than anyone needs are refused before they are parsed."""

import json

import pytest

from verbatim_kit.runtime.reading.structure import TooManyValues, check_structure

_IMAGE = "data:image/png;base64,eE,:[{" * 10_000
_TOOL = {
    "name": "edit",
    "input_schema": {
        "type": "object",
        "properties": {f"field{number}": {"type": "string", "description": "x"} for number in range(12)},
        "required": ["field0"],
    },
}


def _turn(number: int) -> dict[str, object]:
    """A message of a coding agent, by turns its call and what came of it."""
    if number % 2:
        result = {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "b"}]}
        return {"role": "user", "content": [result]}
    call = {"type": "tool_use", "id": "a", "name": "edit", "input": {"path": "c", "text": "d"}}
    return {"role": "assistant", "content": [{"type": "text", "text": "e"}, call]}


def _body(value: object) -> bytes:
    return json.dumps({"model": "m", "long": value}).encode()


@pytest.mark.parametrize(
    "value",
    [
        [[] for _ in range(13_000)],
        [{} for _ in range(13_000)],
        {str(number): 1 for number in range(21_000)},
        ["a"] * 61_000,
        ["\\"] * 61_000,
        ['"'] * 61_000,
        [1e300] * 11_000,
        [True] * 11_000,
        list(range(301_000)),
    ],
    ids=[
        "arrays",
        "objects",
        "members",
        "strings",
        "backslashes",
        "quotes",
        "exponents",
        "booleans",
        "numbers",
    ],
)
def test_too_many_values_of_a_kind_are_refused_by_the_name_of_their_member(value: object) -> None:
    with pytest.raises(TooManyValues) as raised:
        check_structure(_body(value))
    assert raised.value.field == "long"


@pytest.mark.parametrize(
    "value",
    [
        _IMAGE,  # signs in a few strings
        [_IMAGE, '"' + _IMAGE, "\\" + _IMAGE + "\\\\", _IMAGE + '"'] * 9,
        ["\\" * 100_001, '\\"' * 300, _IMAGE],
        '{"a": [1, 2], "e": "\\\\"}, ' * 80_000,  # 2 MB of signs, all of them in one string
        list(range(131_072)),  # a prompt of token ids that fills a long context
        [{"role": "user", "content": "Hello, [you]: {how}"} for _ in range(5_000)],
        [list(range(140)) for _ in range(2_048)],
        [_turn(number) for number in range(1_000)] + [_TOOL] * 128,
        list("ab") * 10_000,
    ],
    ids=[
        "an image",
        "images",
        "backslashes",
        "text",
        "token ids",
        "messages",
        "embeddings",
        "an agent",
        "stop strings",
    ],
)
def test_what_clients_send_passes(value: object) -> None:
    check_structure(_body(value))


@pytest.mark.parametrize(
    "value",
    [_IMAGE, ['"' + _IMAGE + "\\", "\\" * 100_000 + '"'], [*list("ab") * 2_000, _IMAGE * 10]],
    ids=["an image", "escapes", "short strings and an image"],
)
def test_what_stands_outside_of_long_strings_is_returned(value: object) -> None:
    """Later checks read this alone, and not the megabytes of an image."""
    outside = check_structure(_body({"text": value, "number": 1.5e300, "constant": float("nan")}))
    assert len(outside) < 10_000
    assert outside.endswith(b": 1.5e+300, : NaN}}")


@pytest.mark.parametrize("length", [1, 100_000], ids=["short", "long"])
def test_escapes_hide_no_quote_in_bodies_of_any_length(length: int) -> None:
    value = ['"', "\\", '\\"', "{", "e" * length]
    assert check_structure(_body(value)).replace(b" ", b"") == b"{:,:[,,,,]}"


@pytest.mark.parametrize(
    "raw",
    [
        b"[" * 13_000,
        b'{"a": ' + b"[" * 13_000,
        b'"' * 200_000,
        b'{"a":"' + b"\\" * 99_999,
        b'{"a":"' + b'\\"' * 250_000,  # minutes, where each of its quotes is taken for a string's beginning
        b'{"a":"' + b'\\"' * 4_000,
    ],
)
def test_text_that_is_no_json_ends_in_one_answer(raw: bytes) -> None:
    try:
        check_structure(raw)
    except TooManyValues as error:
        assert error.field == ""
