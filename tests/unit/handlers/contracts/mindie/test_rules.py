"""Rules that no schema states: each is a 422 that names the fields, and nothing runs."""

from typing import Any

import pytest

from handlers.contracts.mindie.rules import BANS, THINKING
from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.handlers.contracts.mindie.api import TOOL, Api, chat, conversation

# How a request makes use of each field of a ban.
USES: dict[str, dict[str, Any]] = {
    "stop": {"stop": "a"},
    "stop_token_ids": {"stop_token_ids": [2]},
    "include_stop_str_in_output": {"include_stop_str_in_output": True},
    "use_beam_search": {"use_beam_search": True},
    "best_of": {"best_of": 2},
    "n": {"n": 2},
    "logprobs": {"logprobs": True},
    "top_logprobs": {"top_logprobs": 0},
    "tools": {"tools": [TOOL]},
    "response_format": {"response_format": {"type": "json_object"}},
    THINKING: {"chat_template_kwargs": {"enable_thinking": True}},
}


def api() -> Api:
    return Api(ScriptedEngine(says("x"), max_total_tokens=1000))


@pytest.mark.parametrize("is_stream", [False, True])
@pytest.mark.parametrize(("field", "other"), BANS)
async def test_fields_that_exclude_each_other_are_both_named(field: str, other: str, is_stream: bool) -> None:
    server = api()
    message = await server.refusal(chat(stream=is_stream, **USES[field], **USES[other]))
    assert message == f"`{field}` cannot be used with `{other}`"
    assert server.engine.requests == []


@pytest.mark.parametrize("field", USES)
async def test_each_field_of_a_ban_is_fine_by_itself(field: str) -> None:
    server = api()
    await server.answer(chat(**USES[field]))
    assert len(server.engine.requests) == 1


@pytest.mark.parametrize("field", ["stop", "stop_token_ids", "n", "logprobs", "use_beam_search"])
async def test_tools_that_may_not_be_called_exclude_nothing(field: str) -> None:
    await api().answer(chat(tools=[TOOL], tool_choice="none", **USES[field]))
    await api().answer(chat(tools=[], **USES[field]))


@pytest.mark.parametrize("field", ["n", "best_of"])
async def test_several_answers_need_a_temperature_above_0(field: str) -> None:
    message = await api().refusal(chat(temperature=0, **{field: 2}))
    assert message == f"`{field}` above 1 needs a `temperature` above 0"
    await api().answer(chat(temperature=0.001, **{field: 2}))
    await api().answer(chat(temperature=0, **{field: 1}))


@pytest.mark.parametrize("is_stream", [False, True])
@pytest.mark.parametrize("is_search", [False, True])
async def test_best_of_is_at_least_n(is_stream: bool, is_search: bool) -> None:
    body = chat(best_of=2, n=3, stream=is_stream, use_beam_search=is_search)
    assert await api().refusal(body) == "`best_of` must be at least `n`. Given: 2 and 3"


@pytest.mark.parametrize("fields", [{"best_of": 3, "n": 2}, {"best_of": 3}, {"best_of": 3, "n": None}])
async def test_best_of_is_n_in_a_stream(fields: dict[str, Any]) -> None:
    message = await api().refusal(chat(stream=True, **fields))
    assert message.startswith("`best_of` must be equal to `n` in a stream. Given: 3 and ")
    await api().answer(chat(**fields))
    await api().chunks(chat(best_of=2, n=2))


async def test_top_logprobs_cannot_be_with_logprobs_false() -> None:
    message = await api().refusal(chat(logprobs=False, top_logprobs=1))
    assert message == "`top_logprobs` cannot be above 0 where `logprobs` is false"


async def test_another_model_is_not_found() -> None:
    message = await api().refusal({**chat(), "model": "other"})
    assert message.startswith("The model 'other' does not exist (") and "--model-alias" in message


async def test_a_conversation_has_text_and_not_too_much() -> None:
    server = Api(ScriptedEngine(says("x")), payload_limit=2**23)
    message = "`messages` must have from 1 to 4194304 characters. Given: "
    assert await server.refusal(chat("")) == message + "0"
    assert await server.refusal(chat("x" * (2**22 + 1))) == message + "4194305"


async def test_a_prompt_that_leaves_no_room_is_refused_and_so_is_one_over_the_servers_limit() -> None:
    server = Api(ScriptedEngine(says("x"), max_total_tokens=200))
    message = await server.refusal(chat("x" * 300))
    assert message.startswith("`messages` must have at most 199 tokens. Given: 3")
    limited = Api(ScriptedEngine(says("x"), max_total_tokens=200), max_input_tokens=5)
    assert (await limited.refusal(chat())).startswith("`messages` must have at most 5 tokens. ")


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ({"role": "assistant"}, "`messages[1]` has neither `content` nor `tool_calls`"),
        ({"role": "assistant", "content": None, "tool_calls": []}, "`messages[1]` has neither"),
        ({"role": "tool", "content": "4"}, "messages[1].tool_call_id: is missing"),
        ({"role": "tool", "content": "4", "tool_call_id": ""}, "messages[1].tool_call_id: "),
        ({"role": "user", "content": [{"text": ""}]}, "messages[1].content[0].text: "),
        ({"role": "user", "content": []}, "messages[1].content: "),
        ({"role": "user", "content": [{}]}, "`messages[1].content[0]` has no `text`"),
        (
            {"role": "user", "content": [{"type": "image_url", "text": "a"}]},
            "`messages[1].content[0]` has no ",
        ),
        ({"role": "developer", "content": "Hi"}, "messages[1].role: "),
    ],
)
async def test_a_message_that_says_nothing_is_refused_by_its_place(message: object, told: str) -> None:
    body = conversation({"role": "user", "content": "Hi"}, message)
    assert (await api().refusal(body)).startswith(told)
