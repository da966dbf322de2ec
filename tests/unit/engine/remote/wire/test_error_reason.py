"""The reason in the body of an error, in the forms that servers give it."""

import json

import pytest

from engine.remote.wire.answer_reader import error_reason


@pytest.mark.parametrize(
    "body, expected",
    [
        ({"error": {"message": "too long", "param": "top_p", "code": 400}}, ("too long", "top_p")),
        ({"error": {"message": "Duplicate request ID"}}, ("Duplicate request ID", None)),
        ({"error": "invalid type: string"}, ("invalid type: string", None)),
        ({"object": "error", "message": "queue is full", "code": 503}, ("queue is full", None)),
        ({"detail": "Not Found"}, ("", None)),
    ],
    ids=["vLLM", "SGLang", "SGLang's schema", "SGLang is full", "neither"],
)
def test_a_reason_is_read_in_each_form(body: object, expected: tuple[str, str | None]) -> None:
    assert error_reason(json.dumps(body).encode()) == expected


def test_a_reason_is_one_line_of_bounded_length() -> None:
    assert len(error_reason(json.dumps({"error": {"message": "a\n" * 1000}}).encode()).message) == 300
    assert error_reason(b"<html>") == ("", None)
