"""Token ids, log-probabilities of prompts and counts so far, as programs ask vLLM for them."""

from typing import Any

import pytest

from tests.scripted_engine import says
from tests.unit.handlers.openai.api import CHAT, COMPLETIONS, MODEL, Api

BODIES: dict[str, dict[str, Any]] = {
    CHAT: {"model": MODEL, "messages": [{"role": "user", "content": "Hi"}]},
    COMPLETIONS: {"model": MODEL, "prompt": "Hi"},
}
PATHS = pytest.mark.parametrize("path", [CHAT, COMPLETIONS])
CONTINUOUS = {"include_usage": True, "continuous_usage_stats": True}


def body(path: str, **fields: Any) -> dict[str, Any]:
    return {**BODIES[path], **fields}


@PATHS
async def test_counts_so_far_stand_in_every_event(path: str) -> None:
    api = Api(says("Hel", "lo"))
    *chunks, last = await api.chunks(path, body(path, stream_options=CONTINUOUS))
    counts = [chunk["usage"]["completion_tokens"] for chunk in chunks]
    assert counts == [1, 2, 3]
    for chunk in (*chunks, last):
        usage = chunk["usage"]
        assert usage["prompt_tokens"] == len(api.engine.request.prompt.token_ids)
        assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    assert (last["choices"], last["usage"]) == ([], chunks[-1]["usage"])


@PATHS
async def test_counts_so_far_need_no_last_event(path: str) -> None:
    api = Api(says("Hel", "lo"))
    chunks = await api.chunks(path, body(path, stream_options={"continuous_usage_stats": True}))
    assert all(chunk["choices"] and chunk["usage"] for chunk in chunks)


async def test_counts_so_far_are_of_all_prompts_that_have_begun() -> None:
    chunks = await Api(says("a")).chunks(
        COMPLETIONS, body(COMPLETIONS, prompt=["Hi", "Hello"], stream_options=CONTINUOUS)
    )
    assert [chunk["usage"]["completion_tokens"] for chunk in chunks] == [1, 2, 3, 4, 4]
    assert chunks[-2]["usage"] == chunks[-1]["usage"]


@PATHS
async def test_token_ids_of_a_stream_joined_are_those_of_the_answer(path: str) -> None:
    api, streaming = Api(says("Hel", "", "lo")), Api(says("Hel", "", "lo"))
    whole = await api.answer(path, body(path, return_token_ids=True, n=2))
    chunks = await streaming.chunks(path, body(path, return_token_ids=True, n=2))
    prompt = list(api.engine.request.prompt.token_ids)
    for choice in whole["choices"]:
        parts = [one for chunk in chunks for one in chunk["choices"] if one["index"] == choice["index"]]
        assert sum((part["token_ids"] for part in parts), []) == choice["token_ids"] == [100, 101, 102, 103]
        if path == COMPLETIONS:
            assert choice["prompt_token_ids"] == prompt
            assert [part.get("prompt_token_ids") for part in parts] == [prompt, None, None, None]
    if path == CHAT:
        assert whole["prompt_token_ids"] == prompt
        assert [chunk.get("prompt_token_ids") for chunk in chunks] == [prompt, *[None] * (len(chunks) - 1)]


@PATHS
async def test_nothing_of_it_is_in_an_answer_that_was_not_asked_for_it(path: str) -> None:
    answer = await Api(says("Hi")).answer(path, body(path))
    for part in (answer, *answer["choices"]):
        assert part.keys().isdisjoint({"token_ids", "prompt_token_ids", "prompt_logprobs"})


@PATHS
async def test_a_prompts_log_probabilities_are_by_token_id(path: str) -> None:
    api = Api(says("Hi"))
    answer = await api.answer(path, body(path, prompt_logprobs=1))
    told = answer["prompt_logprobs"] if path == CHAT else answer["choices"][0]["prompt_logprobs"]
    token_ids = api.engine.request.prompt.token_ids
    assert told[0] is None and len(told) == len(token_ids)
    for entry, token_id in zip(told[1:], token_ids[1:], strict=True):
        assert str(token_id) in entry
        assert {one["rank"] for one in entry.values()} <= {1, None}
        assert all(one["logprob"] <= 0 and isinstance(one["decoded_token"], str) for one in entry.values())


async def test_a_token_of_the_log_probabilities_can_be_its_id() -> None:
    fields = {"return_tokens_as_token_ids": True}
    chat = await Api(says("Hi")).answer(CHAT, body(CHAT, logprobs=True, top_logprobs=1, **fields))
    (token, *_) = chat["choices"][0]["logprobs"]["content"]
    assert token["token"] == "token_id:100"
    assert token["top_logprobs"][0]["token"].startswith("token_id:")
    text = await Api(says("Hi")).answer(COMPLETIONS, body(COMPLETIONS, logprobs=1, **fields))
    told = text["choices"][0]["logprobs"]
    assert told["tokens"][0] == "token_id:100" and "token_id:100" in told["top_logprobs"][0]


@PATHS
async def test_an_answers_id_ends_as_the_request_says(path: str) -> None:
    api = Api(says("Hi"))
    whole = await api.answer(path, body(path, request_id="mine"))
    chunks = await api.chunks(path, body(path, request_id="mine"))
    prefix = "chatcmpl" if path == CHAT else "cmpl"
    assert {one["id"] for one in (whole, *chunks)} == {f"{prefix}-mine"}


@PATHS
@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"logprob_token_ids": [1]}, "unsupported_parameter"),
        ({"truncate_prompt_tokens": 9}, "unsupported_parameter"),
        ({"prompt_logprobs": -1}, "integer_below_min_value"),
        ({"prompt_logprobs": 1, "stream": True}, "invalid_value"),
    ],
)
async def test_what_cannot_be_honoured_is_refused_by_name(
    path: str, fields: dict[str, Any], code: str
) -> None:
    assert await Api(says("a")).refusal(path, body(path, **fields)) == (400, code, next(iter(fields)))


async def test_a_prompts_log_probabilities_are_told_once() -> None:
    fields = {"echo": True, "logprobs": 1, "prompt_logprobs": 1}
    refused = await Api(says("a")).refusal(COMPLETIONS, body(COMPLETIONS, **fields))
    assert refused.param == "prompt_logprobs"
