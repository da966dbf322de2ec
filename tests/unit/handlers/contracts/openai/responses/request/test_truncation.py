"""Inputs that exceed the context, of which the oldest items are dropped where the request allows it."""

from typing import Any

import pytest

from engine.port.errors import PromptTooLong
from generated.openai import models as m
from handlers.contracts.openai.responses.request.items import InputItem
from handlers.contracts.openai.responses.request.truncation import Dropped, shortest_cut
from tests.support.scripted.engine import says
from tests.unit.handlers.contracts.openai.api import MODEL
from tests.unit.handlers.contracts.openai.responses.test_responses import Responses

PATH = "/openai/v1/responses/input_tokens"


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def call(id: str) -> dict[str, Any]:
    return {"type": "function_call", "call_id": id, "name": "f", "arguments": "{}"}


def result(id: str) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": id, "output": "r"}


def parsed(*items: dict[str, Any]) -> list[InputItem]:
    body = m.CreateResponseRequest.model_validate({"model": "m", "input": list(items)})
    assert not isinstance(body.input, str)
    return list(body.input)


def cut(items: list[InputItem], num_kept: int) -> Dropped:
    """The places that are dropped where no more than so many items fit."""

    def attempt(dropped: Dropped) -> Dropped:
        if len(items) - len(dropped) > num_kept:
            raise PromptTooLong(9, 9, 9)
        return dropped

    return shortest_cut(items, attempt)


CONVERSATION = parsed(
    {"role": "developer", "content": "d"},
    user("a"),
    call("1"),
    result("1"),
    user("b"),
    call("2"),
    call("3"),
    result("2"),
    result("3"),
)


@pytest.mark.parametrize(
    ("num_kept", "dropped"),
    [(9, set()), (8, {1}), (7, {1, 2, 3}), (6, {1, 2, 3})],
)
def test_the_oldest_items_go_first_and_a_result_with_its_call(num_kept: int, dropped: set[int]) -> None:
    assert cut(CONVERSATION, num_kept) == dropped


def test_instructions_the_last_question_and_the_last_results_with_their_calls_stay() -> None:
    with pytest.raises(PromptTooLong):
        cut(CONVERSATION, 5)


def test_what_cannot_be_shortened_is_refused() -> None:
    with pytest.raises(PromptTooLong):
        cut(parsed(user("a")), 0)


async def test_a_conversation_is_shortened_only_if_the_request_allows_it() -> None:
    items = [user("x" * 90), user("y" * 90), user("Bye")]
    whole, api = Responses(says("a")), Responses(says("a"))
    await whole.answered(input=items)
    assert "xxx" in whole.prompt  # which an engine refuses
    answer = await api.answered(input=items, truncation="auto", instructions="Be brief.")
    assert answer["truncation"] == "auto"
    assert "xxx" not in api.prompt and "yyy" in api.prompt and "Bye" in api.prompt
    assert "Be brief." in api.prompt


async def test_a_shortened_prompt_leaves_the_room_that_is_asked_for() -> None:
    items = [user("x" * 60), user("Bye")]
    ample, scarce = Responses(says("a")), Responses(says("a"))
    await ample.answered(input=items, truncation="auto", max_output_tokens=10)
    await scarce.answered(input=items, truncation="auto", max_output_tokens=120)
    assert "xxx" in ample.prompt
    assert "xxx" not in scarce.prompt and "Bye" in scarce.prompt


async def test_what_is_too_long_without_any_old_item_is_refused_all_the_same() -> None:
    items = [user("x"), user("y" * 300)]
    refused = await Responses(says("a")).refused(input=items, truncation="auto")
    assert refused == (400, "context_length_exceeded", "input")


async def test_the_tokens_of_an_input_are_those_that_its_response_counts() -> None:
    api = Responses(says("a"))
    asked = {"model": MODEL, "input": [user("x" * 90), user("y" * 90)], "truncation": "auto"}
    counted = await api.answer(PATH, asked)
    assert counted["object"] == "response.input_tokens"
    assert api.engine.requests == []
    await api.answered(**asked)
    assert len(api.engine.request.prompt.token_ids) == counted["input_tokens"]


@pytest.mark.parametrize(
    ("fields", "status", "param"),
    [
        ({"model": "other"}, 404, "model"),
        ({"tools": [{"type": "function"}]}, 400, "tools[0].name"),
        ({"previous_response_id": "resp_0"}, 400, "previous_response_id"),
        ({"temperature": 1}, 400, "temperature"),
    ],
)
async def test_an_input_that_has_no_response_has_no_count(
    fields: dict[str, Any], status: int, param: str
) -> None:
    refused = await Responses(says("a")).refusal(PATH, {"input": "Hi", **fields})
    assert (refused.status, refused.param) == (status, param)


async def test_a_count_without_a_model_is_the_served_models() -> None:
    assert (await Responses(says("a")).answer(PATH, {"input": "Hi", "model": None}))["input_tokens"] > 0
