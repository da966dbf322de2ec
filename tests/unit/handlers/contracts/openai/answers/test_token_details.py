"""Token ids, log-probabilities of prompts and counts so far, as programs ask vLLM for them."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from engine.port.events import TokenEvent
from engine.port.request import GenerationRequest
from tests.support.scripted.engine import says
from tests.unit.handlers.contracts.openai.api import CHAT, COMPLETIONS, MODEL, Api

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
        ({"logprob_token_ids": [1]}, "invalid_value"),
        ({"logprob_token_ids": []}, "array_below_min_length"),
        ({"logprob_token_ids": [1], "use_beam_search": True, "temperature": 0}, "invalid_value"),
        ({"timings_per_token": 1}, "invalid_type"),
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


LOGPROBS: dict[str, dict[str, Any]] = {
    CHAT: {"logprobs": True, "top_logprobs": 2},
    COMPLETIONS: {"logprobs": 2},
}


@PATHS
async def test_named_tokens_reach_the_engine_each_once(path: str) -> None:
    api = Api(says("Hi"))
    await api.answer(path, body(path, logprob_token_ids=[9, 4, 9], **LOGPROBS[path]))
    assert api.engine.request.sampling.logprob_token_ids == (9, 4)
    await (plain := Api(says("Hi"))).answer(path, body(path, logprob_token_ids=None, **LOGPROBS[path]))
    assert plain.engine.request.sampling.logprob_token_ids == ()


async def test_the_generated_token_stands_before_the_named_ones() -> None:
    named = {"logprob_token_ids": [100, 42], "return_tokens_as_token_ids": True}
    chat = await Api(says("Hi")).answer(CHAT, body(CHAT, logprobs=True, **named))
    places = chat["choices"][0]["logprobs"]["content"]
    listed = [[top["token"] for top in place["top_logprobs"]] for place in places]
    assert listed[0] == ["token_id:100", "token_id:42"]
    assert listed[1:] == [["token_id:101", "token_id:100", "token_id:42"]] * (len(listed) - 1)
    text = await Api(says("Hi", "Ho")).answer(COMPLETIONS, body(COMPLETIONS, logprobs=0, **named))
    first, second, *_ = text["choices"][0]["logprobs"]["top_logprobs"]
    assert first == {"token_id:100": -0.5, "token_id:42": -1.5}
    assert second.keys() == {"token_id:101", "token_id:100", "token_id:42"}


@PATHS
async def test_a_named_token_is_in_the_vocabulary(path: str) -> None:
    fields = {"logprob_token_ids": [1, 300], **LOGPROBS[path]}
    refused = await Api(says("a")).refusal(path, body(path, **fields))
    assert refused == (400, "invalid_value", "logprob_token_ids[1]")


async def test_named_tokens_need_log_probabilities() -> None:
    fields = {"logprob_token_ids": [1], "logprobs": False}
    refused = await Api(says("a")).refusal(CHAT, body(CHAT, **fields))
    assert refused == (400, "invalid_value", "logprob_token_ids")


async def test_named_tokens_need_a_generated_one() -> None:
    fields = {"logprob_token_ids": [1], "logprobs": 1, "max_tokens": 0, "echo": True}
    refused = await Api(says("a")).refusal(COMPLETIONS, body(COMPLETIONS, **fields))
    assert refused.param == "logprob_token_ids"


@PATHS
async def test_timings_are_of_the_engines_own_times(path: str) -> None:
    api = Api(timed)
    timings = (await api.answer(path, body(path, timings_per_token=True)))["timings"]
    num_prompt_tokens = len(api.engine.request.prompt.token_ids)
    assert timings == {
        "cache_n": 1,
        "prompt_n": num_prompt_tokens - 1,
        "prompt_ms": pytest.approx(500),
        "prompt_per_token_ms": pytest.approx(500 / (num_prompt_tokens - 1)),
        "prompt_per_second": pytest.approx(2 * (num_prompt_tokens - 1)),
        "predicted_n": 3,
        "predicted_ms": pytest.approx(300),
        "predicted_per_token_ms": pytest.approx(100),
        "predicted_per_second": pytest.approx(10),
    }


@PATHS
async def test_timings_stand_in_every_event_and_end_as_those_of_the_whole_answer(path: str) -> None:
    whole = await Api(timed).answer(path, body(path, timings_per_token=True))
    fields = {"timings_per_token": True, "stream_options": {"include_usage": True}}
    chunks = await Api(timed).chunks(path, body(path, **fields))
    assert [chunk["timings"]["predicted_n"] for chunk in chunks] == [1, 2, 3, 3]
    assert [chunk["timings"]["predicted_ms"] for chunk in chunks] == pytest.approx([1e-3, 100, 300, 300])
    assert chunks[-1]["timings"] == whole["timings"]


async def test_timings_of_several_prompts_and_texts_add_tokens_and_take_the_longest_time() -> None:
    fields = {"prompt": ["Hi", "Hello"], "n": 2, "timings_per_token": True}
    api = Api(timed)
    answer = await api.answer(COMPLETIONS, body(COMPLETIONS, **fields))
    timings = answer["timings"]
    assert (timings["cache_n"], timings["predicted_n"]) == (2, 12)
    assert timings["prompt_n"] + timings["cache_n"] == answer["usage"]["prompt_tokens"]
    assert (timings["prompt_ms"], timings["predicted_ms"]) == pytest.approx((500, 300))


async def test_timings_of_a_prompt_alone_have_no_generated_token() -> None:
    fields = {"max_tokens": 0, "echo": True, "timings_per_token": True}
    timings = (await Api(timed).answer(COMPLETIONS, body(COMPLETIONS, **fields)))["timings"]
    assert timings["predicted_n"] == timings["predicted_per_token_ms"] == timings["predicted_per_second"] == 0


@PATHS
@pytest.mark.parametrize("value", [None, False])
async def test_there_are_no_timings_unless_they_are_asked_for(path: str, value: bool | None) -> None:
    assert "timings" not in await Api(timed).answer(path, body(path, timings_per_token=value))
    chunks = await Api(timed).chunks(path, body(path, timings_per_token=value))
    assert not any("timings" in chunk for chunk in chunks)


def timed(request: GenerationRequest) -> Iterator[TokenEvent | Exception]:
    """Yield two words and an end, half a second for the prompt, and 0.1 and 0.2 seconds after it."""
    for event in says("Hel", "lo")(request):
        assert isinstance(event, TokenEvent)
        yield replace(event, step_s=(0.5, 0.1, 0.2)[event.position], num_cached_tokens=1)
