"""Requests for decisions that are refused, by the name of what is wrong."""

from typing import Any

import pytest

from tests.unit.handlers.contracts.openai.api import Refusal
from tests.unit.handlers.contracts.openai.decisions.scripted import (
    DECISIONS,
    api,
    body,
    choice,
    predicate,
    score,
)

DEEP: dict[str, Any] = {}
for _ in range(31):
    DEEP = {"a": DEEP}
IMAGE = {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}


def with_json(data: object) -> dict[str, object]:
    return body(predicate([{"type": "input_json", "data": data}]))


def with_items(*items: object) -> dict[str, object]:
    return body(predicate(), input=list(items))


def output(call_id: str) -> dict[str, str]:
    return {"type": "function_call_output", "call_id": call_id, "output": "x"}


@pytest.mark.parametrize(
    ("request_body", "code", "param"),
    [
        (body(), "array_below_min_length", "questions"),
        (body(*[predicate()] * 401), "array_above_max_length", "questions"),
        (body(predicate(name="a"), predicate(), score("x", name="a")), "invalid_value", "questions[2].name"),
        (body(predicate(name=None)), "invalid_type", "questions[0].name"),
        (body(predicate(criteria="x")), "unknown_parameter", "questions[0].criteria"),
        (body({"type": "noul", "instructions": "x"}), "unsupported_value", "questions[0].type"),
        (body(choice()), "array_below_min_length", "questions[0].choices"),
        (body(choice("a")), "array_below_min_length", "questions[0].choices"),
        (body(choice(*map(str, range(256)))), "array_above_max_length", "questions[0].choices"),
        (body(choice("a", "b", "a")), "invalid_value", "questions[0].choices[2].value"),
        (body(choice("a", 1)), "invalid_type", "questions[0].choices[1].value"),
        (body(choice("a", None)), "invalid_type", "questions[0].choices[1].value"),
        (body(score()), "array_below_min_length", "questions[0].levels"),
        (
            body(score("a", {"label": "a", "description": "another"})),
            "invalid_value",
            "questions[0].levels[1].label",
        ),
        (with_items(output("c")), "invalid_value", "input[0].call_id"),
        (with_items(), "array_below_min_length", "input"),
        (with_items({"role": "user", "content": [IMAGE]}), "unsupported_value", "input[0].content[0]"),
        (
            with_items({"role": "user", "content": "a"}, {"role": "user", "content": ["b", IMAGE][1:]}),
            "unsupported_value",
            "input[1].content[0]",
        ),
        (
            body(predicate(), predicate([{"type": "input_text", "text": "x"}, IMAGE])),
            "unsupported_value",
            "questions[1].instructions[1]",
        ),
        (with_json({"a": DEEP}), "invalid_value", "questions[0].instructions[0].data"),
        (with_json({"a": list(range(10_000))}), "invalid_value", "questions[0].instructions[0].data"),
        (with_json({"a": "x" * 262_144}), "invalid_value", "questions[0].instructions[0].data"),
        (with_json(5), "invalid_type", "questions[0].instructions[0].data"),
        (with_json([5]), "invalid_type", "questions[0].instructions[0].data[0]"),
        (body(predicate(), temperature=0), "unknown_parameter", "temperature"),
        (body(predicate("x" * 500_000)), "context_length_exceeded", "input"),
    ],
)
async def test_what_is_wrong_is_named(request_body: dict[str, object], code: str, param: str) -> None:
    server = api()
    assert await server.refusal(DECISIONS, request_body) == Refusal(400, code, param)


async def test_data_of_just_the_bounds_is_read() -> None:
    for data in (DEEP, {"a": list(range(9_998))}):
        refusal = await api().post(DECISIONS, with_json(data))
        assert "The JSON" not in refusal.text


async def test_equal_levels_without_contradiction_are_taken() -> None:
    await api().answer(DECISIONS, body(score("a", "b", "a")))


async def test_another_model_is_not_found() -> None:
    wrong = {**body(predicate()), "model": "gpt-6-luna"}
    assert await api().refusal(DECISIONS, wrong) == Refusal(404, "model_not_found", "model")
