"""Streamed chat answers, chunk by chunk."""

from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from engine.port.events import FinishReason
from generated.openai import models as m
from handlers.chat.delta import ChatDelta
from handlers.contracts.openai.chat.events import ChatEvents, empty_chunk
from handlers.contracts.openai.chat.response import ChatAnswer
from handlers.served_model.envelope import Envelope
from tests.support.scripted.engine import Script, says
from tests.unit.handlers.chat.models import chat_tokenizer
from tests.unit.handlers.contracts.openai.api import CALL, CHAT, TOOL, Api, chat, spells
from tests.unit.handlers.contracts.openai.test_chat import ENDS, STOPS, thinking

TOKENIZER = chat_tokenizer()


async def stream(script: Any, **fields: Any) -> list[Any]:
    return await Api(script).chunks(CHAT, chat(**fields))


def choices_of(chunks: list[Any]) -> list[Any]:
    return [choice for chunk in chunks for choice in chunk["choices"]]


def deltas_of(chunks: list[Any]) -> list[Any]:
    return [choice["delta"] for choice in choices_of(chunks)]


async def test_the_role_comes_first_then_text_then_the_finish() -> None:
    chunks = await stream(says("Hel", "lo"))
    assert [chunk["choices"] for chunk in chunks] == [
        [
            {
                "index": 0,
                "delta": {"role": "assistant", "content": "Hel"},
                "logprobs": None,
                "finish_reason": None,
            }
        ],
        [{"index": 0, "delta": {"content": "lo"}, "logprobs": None, "finish_reason": None}],
        [{"index": 0, "delta": {}, "logprobs": None, "finish_reason": "stop", "stop_reason": None}],
    ]


async def test_the_chunks_of_an_answer_share_id_time_model_and_fingerprint() -> None:
    chunks = await stream(says("a", "b"))
    for name in ("id", "created", "model", "system_fingerprint", "object"):
        assert len({chunk[name] for chunk in chunks}) == 1
    assert chunks[0]["object"] == "chat.completion.chunk"
    assert all("usage" not in chunk and "service_tier" not in chunk for chunk in chunks)


async def test_the_service_tier_is_in_every_chunk_where_one_was_asked() -> None:
    assert {chunk["service_tier"] for chunk in await stream(says("a", "b"), service_tier="auto")} == {
        "default"
    }


@pytest.mark.parametrize("options", [None, {}, {"include_usage": False}, {"include_obfuscation": True}])
async def test_no_chunk_speaks_of_usage_unless_asked(options: object) -> None:
    assert all("usage" not in chunk for chunk in await stream(says("a", "b"), stream_options=options))


async def test_usage_if_asked_is_null_until_a_last_chunk_without_choices() -> None:
    *chunks, last = await stream(says("a", "b"), n=2, stream_options={"include_usage": True})
    assert all(chunk["usage"] is None and chunk["choices"] for chunk in chunks)
    assert last["choices"] == []
    assert last["usage"]["completion_tokens"] == 6


async def test_answers_interleave_and_each_has_its_role_and_its_finish_once() -> None:
    choices = choices_of(await stream(says("a", "b"), n=3))
    assert [choice["index"] for choice in choices] == [0, 1, 2] * 3
    for index in range(3):
        own = [choice for choice in choices if choice["index"] == index]
        assert "".join(choice["delta"].get("content", "") for choice in own) == "ab"
        assert [choice["delta"].get("role") for choice in own] == ["assistant", None, None]
        assert [choice["finish_reason"] for choice in own] == [None, None, "stop"]


@pytest.mark.parametrize(("script", "finish_reason", "stop_reason"), ENDS)
async def test_the_last_chunk_tells_the_end_and_what_made_it(
    script: Script, finish_reason: str, stop_reason: str | int | None
) -> None:
    *_, last = choices_of(await stream(script, **STOPS))
    assert (last["finish_reason"], last["stop_reason"]) == (finish_reason, stop_reason)


async def test_an_answer_of_nothing_has_a_role_an_empty_text_and_a_finish() -> None:
    (choice,) = choices_of(await stream(says()))
    assert choice["delta"] == {"role": "assistant", "content": ""}
    assert choice["finish_reason"] == "stop"


async def test_a_call_comes_in_pieces_of_which_the_first_has_id_type_and_name() -> None:
    chunks = await stream(says(*CALL), tools=[TOOL], tool_choice="required")
    first, *others = [call for delta in deltas_of(chunks) for call in delta.get("tool_calls", ())]
    assert first["type"] == "function" and first["id"] and first["function"]["name"] == "add"
    assert others
    assert all(call.keys() == {"index", "function"} for call in others)
    assert all(call["function"].keys() == {"arguments"} for call in others)
    arguments = "".join(call["function"]["arguments"] for call in (first, *others))
    assert arguments == '{"a": 1}'
    assert not any(delta.get("content") for delta in deltas_of(chunks))
    assert chunks[-1]["choices"][0]["finish_reason"] == "tool_calls"


async def test_a_second_call_has_an_index_and_an_id_of_its_own() -> None:
    chunks = await stream(says(*CALL, *CALL), tools=[TOOL])
    calls = [call for delta in deltas_of(chunks) for call in delta.get("tool_calls", ())]
    named = [call for call in calls if "id" in call]
    assert [call["index"] for call in named] == [0, 1]
    assert named[0]["id"] != named[1]["id"]


async def test_thoughts_come_under_one_name_before_the_content() -> None:
    deltas = deltas_of(await stream(thinking("Hm, well</think>Yes")))
    thoughts = [delta.get("reasoning_content") for delta in deltas]
    assert "".join(thought for thought in thoughts if thought) == "Hm, well"
    assert not any("reasoning" in delta for delta in deltas)
    kinds = [
        "reasoning_content" in delta
        for delta in deltas
        if "reasoning_content" in delta or delta.get("content")
    ]
    assert kinds == sorted(kinds, reverse=True)
    assert [delta.get("role") for delta in deltas] == ["assistant"] + [None] * (len(deltas) - 1)


async def test_hidden_thoughts_leave_a_role_and_the_content() -> None:
    deltas = deltas_of(await stream(thinking("Hm, well</think>Yes"), include_reasoning=False))
    assert all("reasoning" not in delta and "reasoning_content" not in delta for delta in deltas)
    assert [delta.get("content", "") for delta in deltas] == ["", "Y", "e", "s", ""]


async def test_thoughts_left_in_are_content_with_their_tags() -> None:
    deltas = deltas_of(await stream(thinking("Hm</think>Yes"), separate_reasoning=False))
    assert "".join(delta.get("content", "") for delta in deltas) == "Hm</think>Yes"


JOINED: list[tuple[str, dict[str, Any]]] = [
    ("Hello, wörld 𝄞!", {}),
    ("Hello, wörld 𝄞!", {"logprobs": True, "top_logprobs": 2}),
    ("\nHm, well…\n</think>\n\nYes", {}),
    ("\nHm, well…\n</think>\n\nYes", {"logprobs": True}),
    ("Hm < 3 </thin </think>Yes", {"logprobs": True, "separate_reasoning": False}),
    (f"</think>First. {CALL}\n{CALL}", {"tools": [TOOL], "logprobs": True}),
    ("</think>An <b> and <tool_cal no call", {"tools": [TOOL], "logprobs": True}),
]


@pytest.mark.parametrize(("text", "fields"), JOINED)
async def test_a_streamed_answer_joined_is_the_whole_one(text: str, fields: dict[str, Any]) -> None:
    (whole,) = (await Api(thinking(text)).answer(CHAT, chat(**fields)))["choices"]
    choices = choices_of(await stream(thinking(text), **fields))
    message = whole["message"]
    for name in ("content", "reasoning", "reasoning_content"):
        assert "".join(choice["delta"].get(name) or "" for choice in choices) == (message.get(name) or "")
    arguments = [""] * len(message.get("tool_calls", ()))
    for call in (call for choice in choices for call in choice["delta"].get("tool_calls", ())):
        arguments[call["index"]] += call["function"]["arguments"]
    assert arguments == [call["function"]["arguments"] for call in message.get("tool_calls", ())]
    told = [choice["logprobs"]["content"] for choice in choices if choice["logprobs"]]
    assert sum(told, []) == ((whole["logprobs"] or {}).get("content") or [])
    assert choices[-1]["finish_reason"] == whole["finish_reason"]


async def test_log_probabilities_come_with_the_text_that_they_are_of() -> None:
    choices = choices_of(await stream(spells("é€!"), logprobs=True))
    for choice in choices:
        data = bytes(byte for token in choice["logprobs"]["content"] for byte in token["bytes"])
        assert data.decode() == choice["delta"].get("content", "")


async def test_a_token_that_ends_by_length_brings_its_text_and_the_finish() -> None:
    *_, last = choices_of(await stream(says("a", "b", finish=FinishReason.LENGTH)))
    assert (last["delta"], last["finish_reason"]) == ({"content": "b"}, "length")


@given(
    text=st.text(),
    model=st.text(),
    index=st.integers(0, 127),
    shows_usage=st.booleans(),
    names_tier=st.booleans(),
)
def test_the_prebuilt_chunk_is_the_models_own_serialisation(
    text: str, model: str, index: int, shows_usage: bool, names_tier: bool
) -> None:
    empty = empty_chunk(
        Envelope.new(model, "chatcmpl"), "fp_1", shows_usage=shows_usage, names_tier=names_tier
    )
    answer = ChatAnswer(TOKENIZER, (), shows_logprobs=False)
    events = ChatEvents(answer, empty, shows_logprobs=False)
    events.encode(ChatDelta(index=index, content="the first, with the role"))
    delta = m.ChatCompletionStreamResponseDelta(content=text)
    choice = m.ChatCompletionStreamChoice(index=index, delta=delta, logprobs=None, finish_reason=None)
    written = empty.model_copy(update={"choices": [choice]})
    encoded = events.encode(ChatDelta(index=index, content=text))
    assert encoded == written.__pydantic_serializer__.to_json(written)
