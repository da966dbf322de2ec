"""Chat answers, whole and streamed."""

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.port.events import FinishReason
from generated.aleph_alpha import models as m
from handlers.chat.delta import ChatDelta, ChatFinish
from handlers.contracts.aleph_alpha.chat.events import ChatEvents
from handlers.contracts.aleph_alpha.chat.response import finish_reason
from handlers.served_model.envelope import Envelope
from tests.support.scripted.engine import Script, says
from tests.unit.handlers.chat.models import chat_tokenizer
from tests.unit.handlers.contracts.aleph_alpha.api import CHAT, MODEL, Api, chat

ENDS = [
    (says("a"), "stop"),
    (says("a", finish=FinishReason.STOP), "stop"),
    (says("a", finish=FinishReason.LENGTH), "length"),
]


async def test_an_answer_is_one_object_of_the_contracts_members() -> None:
    answer = await Api(says("Hel", "lo")).answer(CHAT, chat())
    assert answer.pop("id")
    assert answer.pop("created") > 0
    assert answer.pop("system_fingerprint").startswith("fp_")
    assert answer.pop("usage").keys() == {"completion_tokens", "prompt_tokens", "total_tokens"}
    assert answer == {
        "choices": [
            {
                "finish_reason": "stop",
                "index": 0,
                "message": {"role": "assistant", "content": "Hello"},
                "logprobs": None,
            }
        ],
        "model": MODEL,
        "object": "chat.completion",
    }


@pytest.mark.parametrize(("script", "reason"), ENDS)
async def test_the_finish_reason_tells_the_end_whole_and_streamed(script: Script, reason: str) -> None:
    whole = await Api(script).answer(CHAT, chat())
    *_, last = await Api(script).chunks(chat())
    assert whole["choices"][0]["finish_reason"] == last["choices"][0]["finish_reason"] == reason


def test_an_end_that_the_contract_has_no_word_for_is_content_filter() -> None:
    assert finish_reason(ChatFinish.TOOL_CALLS) == "content_filter"


async def test_a_stream_is_the_role_the_text_the_end() -> None:
    chunks = await Api(says("Hel", "lo")).chunks(chat())
    ended = chunks[-1]["system_fingerprint"]
    assert ended.startswith("fp_")
    told = [(chunk["choices"][0], chunk["system_fingerprint"], chunk["usage"]) for chunk in chunks]
    running = {"finish_reason": None, "index": 0, "logprobs": None}
    assert told == [
        ({**running, "delta": {"role": "assistant", "content": ""}}, None, None),
        ({**running, "delta": {"content": "Hel"}}, None, None),
        ({**running, "delta": {"content": "lo"}}, None, None),
        ({**running, "delta": {}, "finish_reason": "stop"}, ended, None),
    ]
    assert len({(chunk["id"], chunk["created"], chunk["model"], chunk["object"]) for chunk in chunks}) == 1


async def test_usage_if_asked_is_in_a_last_chunk_without_choices() -> None:
    *chunks, last = await Api(says("a", "b")).chunks(chat(n=2, stream_options={"include_usage": True}))
    assert all(chunk["usage"] is None and chunk["choices"] for chunk in chunks)
    assert (last["choices"], last["usage"]["completion_tokens"]) == ([], 6)


@pytest.mark.parametrize("options", [None, {}, {"include_usage": None}, {"include_usage": False}])
async def test_usage_not_asked_is_null_in_all_chunks(options: object) -> None:
    chunks = await Api(says("a")).chunks(chat(stream_options=options))
    assert all(chunk["usage"] is None and chunk["choices"] for chunk in chunks)


async def test_each_of_several_answers_has_its_role_its_text_and_its_end() -> None:
    chunks = await Api(says("a", "b")).chunks(chat(n=3))
    for index in range(3):
        own = [choice for chunk in chunks for choice in chunk["choices"] if choice["index"] == index]
        assert [choice["delta"] for choice in own] == [
            {"role": "assistant", "content": ""},
            {"content": "a"},
            {"content": "b"},
            {},
        ]


def scored_choices(chunks: list[Any]) -> list[Any]:
    return [choice for chunk in chunks for choice in chunk["choices"] if choice["logprobs"]]


async def test_logprobs_have_bytes_and_the_most_likely_tokens_whole_and_streamed() -> None:
    body = chat(top_logprobs=2)
    whole = (await Api(says("a", "b")).answer(CHAT, body))["choices"][0]["logprobs"]["content"]
    choices = scored_choices(await Api(says("a", "b")).chunks(body))
    assert [token for choice in choices for token in choice["logprobs"]["content"]] == whole
    assert [token.keys() for token in whole] == [{"token", "logprob", "bytes", "top_logprobs"}] * 2
    assert [len(token["top_logprobs"]) for token in whole] == [2, 2]
    assert all(bytes(token["bytes"]).decode(errors="replace") == token["token"] for token in whole)


async def test_a_logprob_that_json_has_no_number_for_is_minus_9999() -> None:
    script = says("a", logprobs=(float("-inf"),))
    (token,) = (await Api(script).answer(CHAT, chat(logprobs=True)))["choices"][0]["logprobs"]["content"]
    assert token["logprob"] == -9999.0


async def test_the_last_chunk_of_an_answer_has_no_logprobs() -> None:
    *_, last = await Api(says("a", finish=FinishReason.LENGTH)).chunks(chat(logprobs=True))
    assert last["choices"] == [{"finish_reason": "length", "index": 0, "delta": {}, "logprobs": None}]


@given(st.text(min_size=1), st.integers(0, 9))
def test_the_prebuilt_chunk_is_what_the_model_writes(text: str, index: int) -> None:
    events = ChatEvents(Envelope("m", "i"), "fp", chat_tokenizer(), shows_logprobs=False)
    first, encoded = events.encode(ChatDelta(index=index, content=text))
    assert isinstance(first, m.ChatCompletionChunk) and isinstance(encoded, bytes)
    choice = m.ChatChunkChoice(
        finish_reason=None, index=index, delta=m.ChatDelta(content=text), logprobs=None
    )
    expected = first.model_copy(update={"choices": [choice]})
    assert encoded == expected.model_dump_json().encode()
    assert list(orjson.loads(encoded)) == list(orjson.loads(first.model_dump_json()))
