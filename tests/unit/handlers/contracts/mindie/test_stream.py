"""Streamed answers, chunk by chunk."""

from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from engine.port.events import FinishReason
from generated.mindie import models as m
from handlers.chat.delta import ChatDelta
from handlers.contracts.mindie.chat.events import ChatEvents
from handlers.served_model.envelope import Envelope
from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.handlers.contracts.mindie.api import CALL, TOOL, Api, chat
from tests.unit.handlers.contracts.mindie.test_answer import STEPS, measured


def choice(content: str, finish: str | None = None, **delta: Any) -> dict[str, Any]:
    told = {"role": "assistant", "content": content, **delta}
    return {"index": 0, "delta": told, "finish_reason": finish}


def joined(chunks: list[Any], name: str = "content", index: int = 0) -> str:
    own = [chunk["choices"][0] for chunk in chunks if chunk["choices"][0]["index"] == index]
    return "".join(part["delta"].get(name, "") for part in own)


@pytest.mark.parametrize(
    ("finish", "told"), [(FinishReason.END_TOKEN, "stop"), (FinishReason.LENGTH, "length")]
)
async def test_every_chunk_names_the_role_and_the_last_brings_no_text(
    finish: FinishReason, told: str
) -> None:
    chunks = await Api(says("Hel", "lo", finish=finish)).chunks(chat())
    assert [chunk["choices"] for chunk in chunks] == [[choice("Hel")], [choice("lo")], [choice("", told)]]
    assert len({chunk["id"] for chunk in chunks}) == 1
    assert {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}


async def test_usage_is_on_the_last_chunk_alone_and_times_of_answers_are_in_none() -> None:
    *chunks, last = await Api(measured(says("Hel", "lo"))).chunks(chat())
    assert all("usage" not in chunk for chunk in chunks)
    assert last["usage"]["completion_tokens"] == 3
    assert last["usage"]["batch_size"] == [size for size, _, _ in STEPS]
    assert last["usage"]["queue_wait_time"] == [wait for _, wait, _ in STEPS]
    assert list(last) == ["id", "object", "created", "model", "usage", "choices"]


async def test_each_of_several_answers_ends_and_usage_counts_them_all() -> None:
    chunks = await Api(says("a", "b")).chunks(chat(n=2))
    assert [joined(chunks, index=index) for index in (0, 1)] == ["ab", "ab"]
    ends = [chunk for chunk in chunks if chunk["choices"][0]["finish_reason"]]
    assert ["usage" in chunk for chunk in ends] == [False, True]
    assert ends[1]["usage"]["completion_tokens"] == len(ends[1]["usage"]["batch_size"]) == 6


async def test_full_text_repeats_the_text_so_far_and_tells_it_whole_at_the_end() -> None:
    api = Api(says("Hel", "lo"), mindie_full_text=True)
    *chunks, last = await api.chunks(chat())
    assert [chunk["choices"] for chunk in chunks] == [[choice("Hel")], [choice("Hello")]]
    assert all("full_text" not in chunk for chunk in chunks)
    assert (last["full_text"], last["choices"]) == ("Hello", [choice("Hello", "stop")])
    assert list(last) == ["id", "object", "created", "model", "full_text", "usage", "choices"]
    assert "full_text" not in await api.answer(chat())


async def test_full_text_is_each_answers_own_and_repeats_thoughts_among_themselves() -> None:
    script = says("<think>", "Hm", "m", "</think>", "a", "b")
    chunks = await Api(script, mindie_full_text=True).chunks(chat(n=2))
    own = [chunk["choices"][0]["delta"] for chunk in chunks if chunk["choices"][0]["index"] == 1]
    assert [delta["content"] for delta in own] == ["", "", "a", "ab", "ab"]
    assert [delta["reasoning_content"] for delta in own] == ["Hm", "Hmm", "Hmm", "Hmm", "Hmm"]
    assert [chunk["full_text"] for chunk in chunks if "full_text" in chunk] == ["ab", "ab"]


async def test_thoughts_are_streamed_apart() -> None:
    chunks = await Api(says("<think>", "Hm", "m", "</think>", "Hi")).chunks(chat())
    assert (joined(chunks, "reasoning_content"), joined(chunks)) == ("Hmm", "Hi")


async def test_a_call_is_streamed_in_pieces_that_join() -> None:
    chunks = await Api(ScriptedEngine(says(*CALL), max_total_tokens=1000)).chunks(chat(tools=[TOOL]))
    calls = [call for chunk in chunks for call in chunk["choices"][0]["delta"].get("tool_calls", [])]
    assert [call["function"].get("name") for call in calls] == ["add"] + [None] * (len(calls) - 1)
    assert ["id" in call for call in calls] == [True] + [False] * (len(calls) - 1)
    assert "".join(call["function"]["arguments"] for call in calls) == '{"a": 1}'
    assert chunks[-1]["choices"] == [choice("", "tool_calls")]


async def test_logprobs_of_all_chunks_are_those_of_the_whole_answer() -> None:
    api = Api(says("a", "b", finish=FinishReason.LENGTH))
    whole = await api.answer(chat(top_logprobs=1))
    *chunks, end = await api.chunks(chat(top_logprobs=1))
    told = [token for chunk in chunks for token in chunk["choices"][0]["logprobs"]["content"]]
    assert told == whole["choices"][0]["logprobs"]["content"]
    assert "logprobs" not in end["choices"][0]


@given(
    pieces=st.lists(st.sampled_from(["a", "é", "<think>", "Hm", "</think>", "\n", CALL, CALL[:-9], "<"])),
    finish=st.sampled_from(FinishReason),
    has_tools=st.booleans(),
)
async def test_a_streamed_answer_joins_to_the_whole_one(
    pieces: list[str], finish: FinishReason, has_tools: bool
) -> None:
    api = Api(ScriptedEngine(says(*(pieces or ["a"]), finish=finish), max_total_tokens=1000))
    body = chat(tools=[TOOL]) if has_tools else chat()
    (whole,) = (await api.answer(body))["choices"]
    chunks = await api.chunks(body)
    assert joined(chunks) == whole["message"]["content"]
    assert joined(chunks, "reasoning_content") == whole["message"].get("reasoning_content", "")
    assert chunks[-1]["choices"][0]["finish_reason"] == whole["finish_reason"]


@given(text=st.text(), model=st.text(), index=st.integers(0, 127))
def test_the_prebuilt_chunk_is_the_models_own_serialisation(text: str, model: str, index: int) -> None:
    envelope = Envelope.new(model, "endpoint")
    chunk = m.ChatCompletionChunk(
        id=envelope.id,
        object="chat.completion.chunk",
        created=envelope.created,
        model=model,
        choices=[
            m.ChunkChoice(index=index, delta=m.Delta(role="assistant", content=text), finish_reason=None)
        ],
    )
    told = ChatEvents(envelope, None, is_full_text=False).piece(ChatDelta(index=index, content=text))
    assert told == (chunk.__pydantic_serializer__.to_json(chunk) if text else None)
