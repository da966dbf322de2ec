"""Generate answers, whole and streamed: what a request means, and what its answer tells."""

import math

import hypothesis.strategies as st
import pytest
from hypothesis import given

from engine.port.events import FinishReason, TokenEvent
from engine.port.request import GenerationRequest, GrammarKind
from generated.hf import models as m
from handlers.contracts.hf.answers import encode_token, without_nulls
from handlers.contracts.tgi.generate.tokens import token
from tests.support.scripted.engine import says
from tests.unit.handlers.contracts.hf.api import Api, generate_body


async def submitted(**parameters: object) -> GenerationRequest:
    api = Api(says("x"))
    await api.answer("/generate", generate_body(**parameters))
    return api.engine.request


async def test_an_answer_is_the_text_alone_unless_details_are_asked() -> None:
    assert await Api(says("Hel", "lo")).answer("/generate", {"inputs": "Hi"}) == {"generated_text": "Hello"}


async def test_absent_parameters_mean_twenty_greedy_tokens() -> None:
    api = Api(says("x"))
    await api.answer("/generate", {"inputs": "Hi"})
    assert api.engine.request.sampling.is_greedy
    assert api.engine.request.stopping.max_tokens == 20


@pytest.mark.parametrize(
    ("parameters", "is_sampled"),
    [
        ({"seed": 5}, False),
        ({"top_k": 0}, False),
        ({"top_p": 1.0, "typical_p": 1.0, "temperature": 1.0}, False),
        ({"temperature": 0, "do_sample": True, "top_k": 5, "top_p": 0.5}, False),
        ({"do_sample": True}, True),
        ({"temperature": 0.5}, True),
        ({"top_k": 3}, True),
        ({"top_p": 0.9}, True),
        ({"typical_p": 0.9}, True),
    ],
)
async def test_tokens_are_drawn_only_if_an_option_needs_it(
    parameters: dict[str, object], is_sampled: bool
) -> None:
    assert (await submitted(**parameters)).sampling.is_greedy is not is_sampled


async def test_every_parameter_reaches_the_engine() -> None:
    request = await submitted(
        max_new_tokens=7,
        temperature=0.5,
        top_k=3,
        top_p=0.9,
        typical_p=0.8,
        repetition_penalty=1.2,
        seed=18446744073709551615,
        watermark=True,
        stop=["END"],
        truncate=1,
        details=True,
        decoder_input_details=True,
    )
    sampling = request.sampling
    assert (sampling.temperature, sampling.top_k, sampling.top_p) == (0.5, 3, 0.9)
    assert (sampling.typical_p, sampling.repetition_penalty) == (0.8, 1.2)
    assert sampling.seed == 18446744073709551615
    assert sampling.watermark is not None
    assert (sampling.num_logprobs, sampling.num_prompt_logprobs) == (0, 0)
    assert (request.stopping.max_tokens, request.stopping.stop) == (7, ("END",))
    assert request.stopping.include_stop
    assert len(request.prompt.token_ids) == 1


@pytest.mark.parametrize("value", ['{"type": "integer"}', {"type": "integer"}])
async def test_a_schema_is_json_text_or_an_object(value: object) -> None:
    grammar = (await submitted(grammar={"type": "json", "value": value})).sampling.grammar
    assert grammar is not None
    assert (grammar.kind, grammar.source) == (GrammarKind.JSON_SCHEMA, '{"type": "integer"}')


async def test_a_regex_reaches_the_engine_as_it_stands() -> None:
    grammar = (await submitted(grammar={"type": "regex", "value": "[0-9]+"})).sampling.grammar
    assert grammar is not None
    assert (grammar.kind, grammar.source) == (GrammarKind.REGEX, "[0-9]+")


async def test_details_leave_out_what_there_is_not() -> None:
    answer = await Api(says("a")).answer(
        "/generate", generate_body("Hi", details=True, decoder_input_details=True)
    )
    details = answer["details"]
    assert "seed" not in details
    assert "best_of_sequences" not in details
    assert "logprob" not in details["prefill"][0]
    assert all("logprob" in one for one in details["prefill"][1:])
    assert details["finish_reason"] == "eos_token"
    assert details["generated_tokens"] == len(details["tokens"]) == 2
    assert details["tokens"][-1]["special"] is True


async def test_best_of_answers_the_likeliest_and_tells_of_the_other() -> None:
    answer = await Api(says("a", logprobs=(-2.0, -1.0))).answer(
        "/generate", generate_body("Hi", best_of=2, do_sample=True, details=True, return_full_text=True)
    )
    assert answer["generated_text"] == "Hia"
    (other,) = answer["details"]["best_of_sequences"]
    assert other["generated_text"] == "Hia"
    assert other["tokens"][0]["logprob"] == -2.0
    assert answer["details"]["seed"] == other["seed"] + 1


async def test_a_stream_ends_with_the_event_that_has_the_text() -> None:
    events = await Api(says("Hel", "lo", finish=FinishReason.LENGTH)).events(
        "/generate_stream", generate_body()
    )
    assert events == [
        {"token": {"id": 100, "text": "Hel", "logprob": -0.5, "special": False}},
        {
            "token": {"id": 101, "text": "lo", "logprob": -0.5, "special": False},
            "generated_text": "Hello",
        },
    ]


async def test_the_last_event_has_the_details_that_are_asked_for() -> None:
    events = await Api(says("a")).events(
        "/generate_stream", generate_body(details=True, do_sample=True, seed=3)
    )
    assert ["details" in event for event in events] == [False, True]
    assert events[-1]["details"] == {"finish_reason": "eos_token", "generated_tokens": 2, "seed": 3}


@given(st.text(), st.floats(max_value=0, width=32) | st.just(math.nan) | st.none(), st.booleans())
def test_the_prebuilt_event_is_the_models_own_serialisation(
    text: str, logprob: float | None, is_special: bool
) -> None:
    event = TokenEvent(
        request_id="r",
        index=0,
        position=0,
        token_id=7,
        token_text=text,
        is_special=is_special,
        text=text,
        logprob=logprob,
        num_prompt_tokens=1,
    )
    model = m.StreamResponse(token=without_nulls(m.Token, token(event)))
    assert encode_token(1, event) == model.__pydantic_serializer__.to_json(model)
