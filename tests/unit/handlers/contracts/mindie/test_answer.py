"""Whole answers."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from engine.port.events import FinishReason, TokenEvent
from engine.port.request import GenerationRequest
from tests.support.scripted.engine import Script, ScriptedEngine, says, token
from tests.unit.handlers.contracts.mindie.api import CALL, REASONING, TOOL, Api, chat

# For each token: sequences in its step, the wait for it in µs, its time in ms.
STEPS = ((1, 5149, 200), (2, 60, 56), (2, 39, 28))


def measured(script: Script) -> Script:
    """The same events, as if the engine had measured STEPS."""

    def with_times(request: GenerationRequest) -> Iterator[TokenEvent]:
        for event in script(request):
            assert isinstance(event, TokenEvent)
            batch_size, wait_us, step_ms = STEPS[event.position]
            yield replace(event, batch_size=batch_size, wait_s=wait_us * 1e-6, step_s=step_ms * 1e-3)

    return with_times


async def test_an_answer_is_a_chat_completion_with_times() -> None:
    answer = await Api(measured(says("Hel", "lo"))).answer(chat())
    identity = {name: answer.pop(name) for name in ("id", "created")}
    num_prompt_tokens = answer["usage"]["prompt_tokens"]
    assert identity["id"].startswith("endpoint_common_") and identity["created"] > 0
    assert answer == {
        "object": "chat.completion",
        "model": "verbatim-demo",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "Hello", "tool_calls": []},
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
        "usage": {
            "prompt_tokens": num_prompt_tokens,
            "prompt_tokens_details": {"cached_tokens": 0},
            "completion_tokens": 3,
            "total_tokens": num_prompt_tokens + 3,
            "batch_size": [1, 2, 2],
            "queue_wait_time": [5149, 60, 39],
        },
        "prefill_time": 200,
        "decode_time_arr": [56, 28],
    }


async def test_times_of_several_answers_follow_one_another() -> None:
    answer = await Api(measured(says("Hel", "lo"))).answer(chat(n=2))
    assert answer["usage"]["completion_tokens"] == 6
    assert answer["usage"]["batch_size"] == [1, 2, 2] * 2
    assert answer["usage"]["queue_wait_time"] == [5149, 60, 39] * 2
    assert (answer["prefill_time"], answer["decode_time_arr"]) == (200, [56, 28] * 2)


async def test_cached_tokens_of_the_prompt_are_told() -> None:
    def cached(request: GenerationRequest) -> Iterator[TokenEvent]:
        yield replace(token(request, 0, "a", finish=FinishReason.LENGTH), num_cached_tokens=16)

    assert (await Api(cached).answer(chat()))["usage"]["prompt_tokens_details"] == {"cached_tokens": 16}


async def test_ids_are_unique() -> None:
    api = Api(says("a"))
    assert len({(await api.answer(chat()))["id"] for _ in range(3)}) == 3


async def test_thoughts_are_told_apart_and_their_tokens_counted() -> None:
    answer = await Api(says("<think>", "Hm.", "</think>", "Hello")).answer(chat())
    message = answer["choices"][0]["message"]
    assert (message["reasoning_content"], message["content"]) == ("Hm.", "Hello")
    assert answer["usage"]["completion_tokens_details"] == {"reasoning_tokens": 3}


async def test_a_call_is_told_as_a_call_and_the_content_stays_a_text() -> None:
    answer = await Api(ScriptedEngine(says(REASONING, CALL), max_total_tokens=1000)).answer(
        chat(tools=[TOOL])
    )
    (choice,) = answer["choices"]
    assert (choice["finish_reason"], choice["message"]["content"]) == ("tool_calls", "")
    (call,) = choice["message"]["tool_calls"]
    assert call["type"] == "function" and call["id"]
    assert call["function"] == {"name": "add", "arguments": '{"a": 1}'}


@pytest.mark.parametrize(
    ("finish", "told"),
    [(FinishReason.END_TOKEN, "stop"), (FinishReason.STOP, "stop"), (FinishReason.LENGTH, "length")],
)
async def test_the_finish_is_told_in_openais_words(finish: FinishReason, told: str) -> None:
    answer = await Api(says("a", finish=finish)).answer(chat())
    assert answer["choices"][0]["finish_reason"] == told


async def test_logprobs_are_of_the_answers_tokens_with_bytes() -> None:
    answer = await Api(says("a", "b", logprobs=(-0.25,))).answer(chat(top_logprobs=2))
    first, second = answer["choices"][0]["logprobs"]["content"]
    assert set(first) == {"token", "logprob", "bytes", "top_logprobs"}
    assert (first["logprob"], len(first["bytes"])) == (-0.25, 1)
    assert [top["logprob"] for top in second["top_logprobs"]] == [-0.25, -1.25]
