"""Each field of a chat request: what the engine is asked for, or that it is not asked."""

from typing import Any

import pytest

from engine.port.request import GenerationRequest
from tests.unit.handlers.contracts.aleph_alpha.api import CHAT, MODEL, chat, quiet, refused, submitted, talk


async def asked(**fields: Any) -> GenerationRequest:
    return await submitted(CHAT, chat(**fields))


@pytest.mark.parametrize(
    ("field", "value", "name", "expected"),
    [
        ("temperature", 0, "temperature", 0.0),
        ("temperature", None, "temperature", 1.0),
        ("top_p", 0.5, "top_p", 0.5),
        ("top_p", None, "top_p", 1.0),
        ("top_k", 7, "top_k", 7),
        ("top_k", 0, "top_k", None),
        ("frequency_penalty", 1.5, "frequency_penalty", 1.5),
        ("presence_penalty", -2, "presence_penalty", -2),
        ("logit_bias", {"5": -100}, "logit_bias", {5: -100.0}),
        ("logprobs", True, "num_logprobs", 0),
        ("logprobs", False, "num_logprobs", None),
        ("top_logprobs", 3, "num_logprobs", 3),
    ],
)
async def test_a_field_of_sampling_reaches_the_engine(
    field: str, value: object, name: str, expected: object
) -> None:
    assert getattr((await asked(**{field: value})).sampling, name) == expected


@pytest.mark.parametrize(
    ("fields", "name", "expected"),
    [
        ({"max_tokens": 7}, "max_tokens", 7),
        ({"maximum_tokens": 7}, "max_tokens", 7),
        ({"maximum_tokens": 7, "max_tokens": 7}, "max_tokens", 7),
        ({"stop": "a"}, "stop", ("a",)),
        ({"stop": ["a", "b"]}, "stop", ("a", "b")),
    ],
)
async def test_a_field_of_stopping_reaches_the_engine(
    fields: dict[str, Any], name: str, expected: object
) -> None:
    assert getattr((await asked(**fields)).stopping, name) == expected


async def test_without_max_tokens_the_answer_may_fill_the_context() -> None:
    request = await asked()
    room = quiet().engine.model_info.max_total_tokens - len(request.prompt.token_ids)
    assert request.stopping.max_tokens == room


async def test_n_is_how_many_answers() -> None:
    assert (await asked(n=3)).num_sequences == 3


@pytest.mark.parametrize(("query", "priority"), [("", 0), ("?nice=false", 0), ("?nice=true", 1)])
async def test_a_nice_request_lets_the_others_go_first(query: str, priority: int) -> None:
    assert (await submitted(CHAT + query, chat())).priority == priority


@pytest.mark.parametrize("field", ["seed", "service_tier", "user"])
async def test_an_ignored_field_changes_nothing(field: str) -> None:
    value: object = 7 if field == "seed" else "x"
    first, second = [await asked(**{field: value}) for _ in range(2)]
    assert first.prompt.token_ids == second.prompt.token_ids == (await asked()).prompt.token_ids
    assert first.sampling.seed is second.sampling.seed is None


async def test_the_name_of_a_message_is_ignored() -> None:
    message = {"role": "user", "content": "Hi", "name": "Ada"}
    request = await submitted(CHAT, {"model": MODEL, "messages": [message]})
    assert request.prompt.token_ids == (await asked()).prompt.token_ids


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("response_format", {"type": "json_object"}),
        ("tools", []),
        ("tool_choice", "auto"),
        ("parallel_tool_calls", True),
        ("steering_concepts", ["_worker/calm"]),
    ],
)
async def test_a_rejected_field_is_refused_by_its_name_unless_it_is_null(field: str, value: object) -> None:
    assert field in await refused(CHAT, chat(**{field: value}))
    await asked(**{field: None})


@pytest.mark.parametrize(
    ("roles", "place"),
    [
        (["assistant"], 0),
        (["system"], 0),
        (["user", "user"], 1),
        (["user", "assistant"], 1),
        (["user", "system"], 1),
        (["system", "system", "user"], 1),
        (["system", "assistant", "user"], 1),
        (["user", "assistant", "assistant", "user"], 2),
        (["user", "assistant", "system", "user"], 2),
        (["system", "user", "assistant"], 2),
    ],
)
async def test_a_message_out_of_order_is_refused_by_its_place(roles: list[str], place: int) -> None:
    assert f"messages[{place}].role" in await refused(CHAT, talk(*roles))


@pytest.mark.parametrize(
    "roles",
    [
        ["user"],
        ["system", "user"],
        ["user", "assistant", "user"],
        ["system", "user", "assistant", "user", "assistant", "user"],
    ],
)
async def test_messages_in_order_are_the_prompt(roles: list[str]) -> None:
    await submitted(CHAT, talk(*roles))
    told = [f"<|im_start|>{role}\n{role[0]}<|im_end|>\n" for role in roles]
    assert quiet().prompt == "".join(told) + "<|im_start|>assistant\n"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "tool", "content": ""}]}, "messages[0].role"),
        ({"temperature": 2.1}, "temperature"),
        ({"top_p": -0.1}, "top_p"),
        ({"top_logprobs": 21}, "top_logprobs"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"n": 0}, "n"),
        ({"n": 10**9}, "n"),
        ({"presence_penalty": 3}, "presence_penalty"),
        ({"logit_bias": {"x": 1}}, "logit_bias"),
        ({"stop": ""}, "stop"),
        ({"max_tokens": 7, "maximum_tokens": 8}, "maximum_tokens"),
    ],
)
async def test_what_the_document_forbids_is_refused_by_its_name(fields: dict[str, Any], field: str) -> None:
    assert field in await refused(CHAT, chat(**fields))


async def test_a_field_that_nobody_knows_is_passed_over() -> None:
    assert (await asked(hosting="aleph-alpha", surprise=1)).num_sequences == 1
