"""Streamed chat answers, chunk by chunk."""

from typing import Any

import hypothesis.strategies as st
from hypothesis import given

from engine.port.events import FinishReason
from generated.tgi import models as m
from handlers.chat.delta import ChatDelta
from handlers.contracts.tgi.chat.events import ChatEvents
from handlers.contracts.tgi.openai_form import SERVER_NAME
from handlers.served_model.envelope import Envelope
from tests.support.scripted.engine import says
from tests.unit.handlers.contracts.tgi.api import Api, chat
from tests.unit.handlers.contracts.tgi.test_chat import CALL, PATH, TOOL


async def stream(api: Api, body: dict[str, Any]) -> list[Any]:
    """The chunks, without the `[DONE]` that must end them."""
    *chunks, done = await api.events(PATH, {**body, "stream": True})
    assert done == "[DONE]"
    return chunks


async def test_the_role_comes_once_then_text_then_the_finish() -> None:
    chunks = await stream(Api(says("Hel", "lo")), chat())
    choices = [chunk["choices"] for chunk in chunks]
    assert choices == [
        [
            {
                "index": 0,
                "delta": {"role": "assistant", "content": "Hel"},
                "logprobs": None,
                "finish_reason": None,
            }
        ],
        [{"index": 0, "delta": {"content": "lo"}, "logprobs": None, "finish_reason": None}],
        [{"index": 0, "delta": {}, "logprobs": None, "finish_reason": "stop"}],
    ]


async def test_a_token_that_ends_by_length_brings_its_text_and_the_finish() -> None:
    chunks = await stream(Api(says("a", "b", finish=FinishReason.LENGTH)), chat())
    assert chunks[-1]["choices"][0]["delta"] == {"content": "b"}
    assert chunks[-1]["choices"][0]["finish_reason"] == "length"


async def test_the_chunks_of_an_answer_share_one_id() -> None:
    api = Api(says("a", "b"))
    first, second = await stream(api, chat()), await stream(api, chat())
    assert len({chunk["id"] for chunk in first}) == 1
    assert first[0]["id"] != second[0]["id"]


async def test_usage_is_null_in_every_chunk_unless_asked() -> None:
    for options in (None, {}, {"include_usage": False}):
        chunks = await stream(Api(says("a")), chat(stream_options=options))
        assert [chunk["usage"] for chunk in chunks] == [None] * len(chunks)


async def test_usage_if_asked_is_in_one_chunk_more_without_choices() -> None:
    *chunks, last = await stream(Api(says("a")), chat(stream_options={"include_usage": True}))
    assert {chunk["usage"] for chunk in chunks} == {None}
    assert last["choices"] == []
    assert last["usage"]["completion_tokens"] == 2


async def test_chunks_of_several_answers_carry_their_index_and_each_begins_and_ends() -> None:
    chunks = await stream(Api(says("a", "b")), chat(n=2))
    for index in (0, 1):
        own = [chunk["choices"][0] for chunk in chunks if chunk["choices"][0]["index"] == index]
        assert "".join(choice["delta"].get("content", "") for choice in own) == "ab"
        assert [choice["delta"].get("role") for choice in own] == ["assistant", None, None]
        assert [choice["finish_reason"] for choice in own] == [None, None, "stop"]


async def test_logprobs_of_all_chunks_are_those_of_every_token() -> None:
    chunks = await stream(Api(says("a", "b")), chat(logprobs=True))
    tokens = [token["token"] for chunk in chunks for token in chunk["choices"][0]["logprobs"]["content"]]
    assert tokens == ["a", "b", "<|im_end|>"]


async def test_a_tool_call_is_streamed_in_pieces_that_join() -> None:
    chunks = await stream(Api(says(*CALL)), chat(tools=[TOOL]))
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    calls = [call for delta in deltas for call in delta.get("tool_calls", [])]
    assert [call["function"]["name"] for call in calls] == ["add"] + [None] * (len(calls) - 1)
    assert [call["id"] is None for call in calls] == [False] + [True] * (len(calls) - 1)
    assert "".join(call["function"]["arguments"] for call in calls) == '{"a": 1}'
    assert not any(delta.get("content") for delta in deltas)
    assert chunks[-1]["choices"][0]["finish_reason"] == "tool_calls"


async def test_a_streamed_answer_joins_to_the_whole_one() -> None:
    api = Api(says("Hello", ", ", "world"))
    whole = await api.answer(PATH, chat())
    chunks = await stream(api, chat())
    joined = "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks)
    assert joined == whole["choices"][0]["message"]["content"]


@given(text=st.text(), model=st.text(), index=st.integers(0, 15))
def test_the_prebuilt_chunk_is_the_models_own_serialisation(text: str, model: str, index: int) -> None:
    envelope = Envelope.new(model, "chatcmpl")
    events = ChatEvents(envelope, lambda chunk: chunk, with_logprobs=False)
    events.encode(ChatDelta(index=index, content="the first, with the role"))
    chunk = m.ChatCompletionChunk(
        id=envelope.id,
        object="chat.completion.chunk",
        created=envelope.created,
        model=model,
        system_fingerprint=SERVER_NAME,
        choices=[
            m.ChatCompletionChoice(
                index=index, delta=m.ChatCompletionDelta(content=text), logprobs=None, finish_reason=None
            )
        ],
        usage=None,
    )
    assert events.encode(ChatDelta(index=index, content=text)) == chunk.__pydantic_serializer__.to_json(chunk)
