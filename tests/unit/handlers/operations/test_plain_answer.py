"""Whole answers that are filled into a form: the same bytes as the contract's model writes."""

from collections.abc import Callable
from functools import partial
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given
from msgspec.structs import replace
from pydantic import BaseModel

from generated.hf import models as hf
from handlers.chat.delta import ChatFinish
from handlers.chat.reading.result import ChatChoice, ChatResult
from handlers.chat.tools import ToolCall
from handlers.chat.usage import ChatUsage
from handlers.contracts.hf.answers import without_nulls
from handlers.contracts.openai.chat.response import ChatAnswer
from handlers.contracts.openai.chat.response import chat_completion as openai_answer
from handlers.contracts.tgi.chat.response import chat_completion as tgi_answer
from handlers.operations.plain_answer import PlainAnswers
from handlers.served_model.envelope import Envelope
from tests.unit.handlers.chat.models import chat_tokenizer
from tests.unit.handlers.chat.reading.test_plain_output import event

ANSWER = ChatAnswer(chat_tokenizer(), (), shows_logprobs=False)
WRITERS: dict[str, Callable[[Envelope, ChatResult], BaseModel]] = {
    "openai": partial(openai_answer, fingerprint="fp_100%", answer=ANSWER),
    "tgi": partial(tgi_answer, with_logprobs=False),
    "hf": lambda envelope, result: without_nulls(
        hf.ChatCompletionResponse, tgi_answer(envelope, result, with_logprobs=False)
    ),
}
ENVELOPE = Envelope(model="100 % of a model", id="chatcmpl-1", created=1_700_000_000)
CALL = ToolCall(id="call_1", name="add", arguments="{}")

counts = st.integers(0, 10**9)
texts = st.text(st.characters(exclude_categories=["Cs"]))


def result(content: str = "a", finish: ChatFinish = ChatFinish.STOP, **usage: int) -> ChatResult:
    events = (event(0, content, is_last=True, is_special=False),)
    choice = ChatChoice(
        index=0,
        content=content,
        reasoning="",
        tool_calls=(),
        finish=finish,
        events=events,
        answer_events=events,
    )
    return ChatResult(choices=(choice,), usage=ChatUsage(num_prompt_tokens=usage.pop("prompt", 1), **usage))


@pytest.mark.parametrize("contract", WRITERS)
@given(
    content=texts,
    finish=st.sampled_from([ChatFinish.STOP, ChatFinish.LENGTH]),
    prompt=counts,
    completion=counts,
    cached=counts,
    thoughts=counts,
)
def test_a_form_is_filled_in_as_the_model_would_be_written(
    contract: str,
    content: str,
    finish: ChatFinish,
    prompt: int,
    completion: int,
    cached: int,
    thoughts: int,
) -> None:
    told = result(
        content,
        finish,
        prompt=prompt,
        num_completion_tokens=completion,
        num_cached_tokens=cached,
        num_reasoning_tokens=thoughts,
    )
    write = WRITERS[contract]
    assert (
        PlainAnswers(write)(ENVELOPE, told) == write(ENVELOPE, told).model_dump_json(by_alias=True).encode()
    )


@pytest.mark.parametrize("contract", WRITERS)
@pytest.mark.parametrize("more", [{"tool_calls": (CALL,)}, {"reasoning": "Hm."}, {"stop_match": "a"}])
def test_an_answer_of_more_than_a_text_is_the_model(contract: str, more: dict[str, Any]) -> None:
    plain = result()
    told = replace(plain, choices=(replace(plain.choices[0], **more),))
    write = WRITERS[contract]
    assert PlainAnswers(write)(ENVELOPE, told) == write(ENVELOPE, told)


@pytest.mark.parametrize("contract", WRITERS)
def test_several_answers_are_the_model(contract: str) -> None:
    plain = result()
    told = replace(plain, choices=(plain.choices[0], replace(plain.choices[0], index=1)))
    write = WRITERS[contract]
    assert PlainAnswers(write)(ENVELOPE, told) == write(ENVELOPE, told)
