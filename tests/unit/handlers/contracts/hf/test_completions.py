"""Completions: prompts in their order, whole and in chunks."""

from functools import partial

import hypothesis.strategies as st
from hypothesis import given

from engine.port.events import TokenEvent
from generated.hf import models as m
from handlers.contracts.hf.answers import without_nulls
from handlers.contracts.tgi.completions.response import CompletionEvents
from handlers.served_model.envelope import Envelope
from tests.support.scripted.engine import says
from tests.unit.handlers.contracts.hf.api import Api, completion

PATH = "/v1/completions"


async def test_an_absent_bound_is_sixteen_tokens_at_temperature_one() -> None:
    api = Api(says("x"))
    await api.answer(PATH, completion())
    assert api.engine.request.stopping.max_tokens == 16
    assert api.engine.request.sampling.temperature == 1.0


async def test_every_field_reaches_the_engine() -> None:
    api = Api(says("x"))
    await api.answer(PATH, completion(max_tokens=3, temperature=0, top_p=0.5, stop="a", seed=9))
    request = api.engine.request
    assert request.sampling.is_greedy
    assert (request.sampling.top_p, request.sampling.seed) == (0.5, 9)
    assert (request.stopping.max_tokens, request.stopping.stop) == (3, ("a",))


async def test_each_prompt_has_a_choice_and_usage_is_their_sum() -> None:
    answer = await Api(says("a", "b")).answer(PATH, completion(["Hi", "Hello"]))
    assert answer["object"] == "text_completion"
    assert answer["choices"] == [
        {"text": "ab", "index": 0, "finish_reason": "stop"},
        {"text": "ab", "index": 1, "finish_reason": "stop"},
    ]
    assert answer["usage"]["completion_tokens"] == 6


async def test_no_seed_is_asked_for_where_none_is_given() -> None:
    api = Api(says("a"))
    await api.answer(PATH, completion(["Hi", "Hi"]))
    assert [request.sampling.seed for request in api.engine.requests] == [None, None]


async def test_chunks_join_to_the_whole_text_and_end_with_a_reason_each() -> None:
    *chunks, done = await Api(says("a", "b")).events(PATH, completion(["Hi", "Hello"], stream=True))
    assert done == "[DONE]"
    for index in (0, 1):
        own = [chunk["choices"][0] for chunk in chunks if chunk["choices"][0]["index"] == index]
        assert "".join(choice["text"] for choice in own) == "ab"
        assert [choice.get("finish_reason") for choice in own] == [None, None, "stop"]


@given(st.text(), st.integers(min_value=0, max_value=3))
def test_the_prebuilt_chunk_is_the_models_own_serialisation(text: str, index: int) -> None:
    event = TokenEvent(
        request_id="r",
        index=0,
        position=0,
        token_id=7,
        token_text=text,
        is_special=False,
        text=text,
        num_prompt_tokens=1,
    )
    form = partial(without_nulls, m.CompletionStreamResponse)
    encoded = CompletionEvents(Envelope.new("name", "cmpl"), form).encode(index, event)
    assert isinstance(encoded, bytes)
    chunk = m.CompletionStreamResponse.model_validate_json(encoded)
    chunk.choices = [m.CompletionChunkChoice(text=text, index=index)]
    assert encoded == chunk.__pydantic_serializer__.to_json(chunk)
