"""Generate streams, token by token."""

import math

import hypothesis.strategies as st
import pytest
from hypothesis import given

from engine.port.events import FinishReason, TokenEvent
from generated.tgi import models as m
from handlers.contracts.tgi.generate.events import encode_token
from handlers.contracts.tgi.generate.tokens import token
from tests.support.scripted.engine import says
from tests.unit.handlers.contracts.tgi.api import Api, generate_body


async def stream(api: Api, path: str, body: dict[str, object]) -> list[dict[str, object]]:
    return await api.events(path, {**body, "stream": True} if path == "/" else body)


@pytest.mark.parametrize("path", ["/", "/generate_stream"])
async def test_the_stream_ends_with_the_event_that_carries_the_text(path: str) -> None:
    events = await stream(Api(says("Hel", "lo", finish=FinishReason.LENGTH)), path, generate_body())
    assert events == [
        {
            "details": None,
            "generated_text": None,
            "index": 1,
            "token": {"id": 100, "logprob": -0.5, "special": False, "text": "Hel"},
        },
        {
            "details": None,
            "generated_text": "Hello",
            "index": 2,
            "token": {"id": 101, "logprob": -0.5, "special": False, "text": "lo"},
        },
    ]


async def test_details_come_with_the_last_event() -> None:
    events = await Api(says("a")).events(
        "/generate_stream", generate_body("Hi", details=True, do_sample=True, seed=3)
    )
    assert [event["details"] for event in events] == [
        None,
        {"finish_reason": "eos_token", "generated_tokens": 2, "input_length": 2, "seed": 3},
    ]


async def test_the_end_token_is_an_event_that_adds_no_text() -> None:
    events = await Api(says("a")).events("/generate_stream", generate_body())
    assert events[-1]["token"]["special"] is True
    assert events[-1]["generated_text"] == "a"


async def test_the_prompt_precedes_the_whole_text_alone() -> None:
    events = await Api(says("a")).events("/generate_stream", generate_body("Hi", return_full_text=True))
    assert [event["token"]["text"] for event in events] == ["a", "<|im_end|>"]
    assert events[-1]["generated_text"] == "Hia"


async def test_top_tokens_come_with_every_event_if_asked() -> None:
    events = await Api(says("a", "b")).events("/generate_stream", generate_body(top_n_tokens=2))
    assert [len(event["top_tokens"]) for event in events] == [2, 2, 2]


@given(
    index=st.integers(1, 2**31 - 1),
    token_id=st.integers(0, 2**31 - 1),
    text=st.text(),
    logprob=st.floats(max_value=0, width=32) | st.just(math.nan),
    is_special=st.booleans(),
)
def test_the_prebuilt_event_is_the_models_own_serialisation(
    index: int, token_id: int, text: str, logprob: float, is_special: bool
) -> None:
    event = TokenEvent(
        request_id="r",
        index=0,
        position=0,
        token_id=token_id,
        token_text=text,
        is_special=is_special,
        text=text,
        logprob=logprob,
        num_prompt_tokens=1,
    )
    model = m.StreamResponse(index=index, token=token(event), generated_text=None, details=None)
    assert encode_token(index, event) == model.__pydantic_serializer__.to_json(model)
