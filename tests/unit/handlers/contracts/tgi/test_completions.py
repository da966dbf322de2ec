"""Completions: prompts in, continuations out, whole and streamed."""

from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from engine.port.events import FinishReason, TokenEvent
from engine.port.request import GenerationRequest
from generated.tgi import models as m
from handlers.contracts.tgi.completions.response import CompletionEvents
from handlers.contracts.tgi.openai_form import SERVER_NAME
from handlers.served_model.envelope import Envelope
from tests.support.scripted.engine import ScriptedEngine, says, token
from tests.unit.handlers.contracts.tgi.api import Api

PATH = "/v1/completions"


def echoes(request: GenerationRequest) -> list[TokenEvent]:
    """Return one token per token of the prompt, so that short prompts end first; each says that length."""
    length = len(request.prompt.token_ids)
    last = length - 1
    return [
        token(request, i, str(length), finish=FinishReason.LENGTH if i == last else None)
        for i in range(length)
    ]


async def test_an_answer_is_a_text_completion() -> None:
    answer = await Api(says("a", "b")).answer(PATH, {"prompt": "Hi"})
    assert answer["object"] == "text_completion"
    assert answer["choices"] == [{"index": 0, "text": "ab", "logprobs": None, "finish_reason": "stop"}]
    assert answer["usage"] == {"prompt_tokens": 2, "completion_tokens": 3, "total_tokens": 5}
    assert answer["model"] == "verbatim-demo"


async def test_prompts_are_answered_in_their_order_whichever_ends_first() -> None:
    answer = await Api(echoes).answer(PATH, {"prompt": ["333", "1", "22"]})
    assert [choice["text"] for choice in answer["choices"]] == ["333", "1", "22"]
    assert [choice["index"] for choice in answer["choices"]] == [0, 1, 2]
    assert answer["usage"] == {"prompt_tokens": 6, "completion_tokens": 6, "total_tokens": 12}


async def test_streamed_chunks_carry_the_index_of_their_prompt_and_usage_at_its_end() -> None:
    *chunks, done = await Api(echoes).events(PATH, {"prompt": ["333", "1"], "stream": True})
    assert done == "[DONE]"
    for index, text in enumerate(["333", "1"]):
        own = [chunk for chunk in chunks if chunk["choices"][0]["index"] == index]
        assert "".join(chunk["choices"][0]["text"] for chunk in own) == text
        assert ["usage" in chunk for chunk in own] == [False] * (len(own) - 1) + [True]
        assert own[-1]["usage"]["completion_tokens"] == len(text)
        finishes = [chunk["choices"][0]["finish_reason"] for chunk in own]
        assert finishes == [None] * (len(own) - 1) + ["length"]


async def test_a_failing_prompt_ends_the_others_too() -> None:
    def fails_for_the_second(request: GenerationRequest) -> Any:
        if len(request.prompt.token_ids) == 2:
            raise RuntimeError("a bug")
        return says("a", "b", "c")(request)

    engine = ScriptedEngine(fails_for_the_second)
    response = await Api(engine).post(PATH, {"prompt": ["1", "22", "333"]})
    assert response.status_code == 500
    assert engine.num_running == 0


@pytest.mark.parametrize(("given_", "used"), [({}, 32), ({"max_tokens": 5}, 5), ({"max_tokens": None}, 198)])
async def test_max_tokens_defaults_to_32_and_null_fills_the_context(
    given_: dict[str, Any], used: int
) -> None:
    api = Api(says("x"))
    await api.answer(PATH, {"prompt": "Hi", **given_})
    assert api.engine.request.stopping.max_tokens == used


async def test_completions_sample_at_temperature_1_unless_told() -> None:
    api = Api(says("x"))
    await api.answer(PATH, {"prompt": "Hi"})
    await api.answer(PATH, {"prompt": "Hi", "temperature": 0})
    assert [request.sampling.temperature for request in api.engine.requests] == [1.0, 0.0]


async def test_penalties_follow_openais_definition() -> None:
    api = Api(says("x"))
    await api.answer(PATH, {"prompt": "Hi", "presence_penalty": 1.5, "frequency_penalty": -1})
    sampling = api.engine.request.sampling
    assert (sampling.presence_penalty, sampling.frequency_penalty) == (1.5, -1.0)


async def test_no_seed_is_asked_for_where_none_is_given() -> None:
    api = Api(says("x"))
    await api.answer(PATH, {"prompt": ["a", "a"]})
    assert [request.sampling.seed for request in api.engine.requests] == [None, None]


async def test_all_prompts_draw_with_the_one_seed() -> None:
    api = Api(says("x"))
    await api.answer(PATH, {"prompt": ["a", "b"], "seed": 11})
    assert [request.sampling.seed for request in api.engine.requests] == [11, 11]


async def test_a_stop_text_is_cut_from_the_continuation() -> None:
    api = Api(says("x"))
    await api.answer(PATH, {"prompt": "Hi", "stop": "\n"})
    stopping = api.engine.request.stopping
    assert (stopping.stop, stopping.include_stop, stopping.length_first) == (("\n",), False, True)


async def test_one_prompt_too_long_refuses_all_before_any_runs() -> None:
    api = Api(says("x"))
    refusal = await api.refusal(PATH, {"prompt": ["a", "b" * 300], "stream": True})
    assert refusal[:2] == (422, "validation")
    assert api.engine.requests == []


@given(text=st.text(), model=st.text(), index=st.integers(0, 100))
def test_the_prebuilt_chunk_is_the_models_own_serialisation(text: str, model: str, index: int) -> None:
    envelope = Envelope.new(model, "cmpl")
    event = TokenEvent(
        request_id="r",
        index=0,
        position=0,
        token_id=1,
        token_text=text,
        is_special=False,
        text=text,
        num_prompt_tokens=1,
    )
    chunk = m.Chunk(
        id=envelope.id,
        object="text_completion",
        created=envelope.created,
        model=model,
        system_fingerprint=SERVER_NAME,
        choices=[m.CompletionChunkChoice(index=index, text=text, logprobs=None, finish_reason=None)],
    )
    events = CompletionEvents(envelope, lambda chunk: chunk)
    assert events.encode(index, event) == chunk.__pydantic_serializer__.to_json(chunk)
