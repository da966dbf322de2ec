"""Completions that fill the gap before a suffix."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine.async_engine import AsyncEngine
from engine.config import EngineConfig
from engine.port.text.infill import Infill
from engine.port.text.tokenizer import Tokenizer
from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.scripted.engine import ScriptedEngine, says
from tests.support.tiny_models.text import save_tiny_model
from tests.unit.engine.port.text.test_infill import QWEN, with_tokens
from tests.unit.handlers.chat.models import chat_tokenizer
from tests.unit.handlers.contracts.hf.api import Api as HfApi
from tests.unit.handlers.contracts.openai.api import COMPLETIONS, MODEL, Api, completion
from tests.unit.handlers.contracts.tgi.api import Api as TgiApi
from tests.unit.verbatim_kit.runtime.client import send

PLAIN_BODIES = [completion("a"), completion("a", suffix=None), completion("a", suffix="")]


@cache
def coder() -> Tokenizer:
    return with_tokens(chat_tokenizer(), QWEN)


def engine(*, max_total_tokens: int = 200) -> ScriptedEngine:
    return ScriptedEngine(says("x", "y"), tokenizer=coder(), max_total_tokens=max_total_tokens)


def card(before: str, after: str) -> tuple[int, ...]:
    """The ids of the prompt that Qwen2.5-Coder's card prints."""
    return tuple(coder().encode(f"<|fim_prefix|>{before}<|fim_suffix|>{after}<|fim_middle|>"))


def ends() -> tuple[int, ...]:
    infill = Infill.of(coder())
    assert infill is not None
    return infill.end_token_ids


async def test_a_suffix_makes_the_models_own_prompt_of_each_text() -> None:
    api = Api(engine())
    answer = await api.answer(COMPLETIONS, completion(["def f(", "a"], suffix="):\n", stop_token_ids=[3]))
    assert [choice["text"] for choice in answer["choices"]] == ["xy", "xy"]
    prompts = [request.prompt.token_ids for request in api.engine.requests]
    assert prompts == [card("def f(", "):\n"), card("a", "):\n")]
    assert answer["usage"]["prompt_tokens"] == sum(map(len, prompts))
    for request in api.engine.requests:
        assert set(request.stopping.stop_token_ids) == {3, *ends()}


async def test_token_ids_stand_before_the_gap_as_they_are() -> None:
    api = Api(engine())
    ids = coder().encode("ab")
    await api.answer(COMPLETIONS, completion(ids, suffix="c"))
    assert api.engine.request.prompt.token_ids == card("ab", "c")


@pytest.mark.parametrize("body", PLAIN_BODIES)
@pytest.mark.parametrize("tokenizer", [coder(), chat_tokenizer()])
async def test_no_suffix_leaves_the_prompt_alone(body: dict[str, Any], tokenizer: Tokenizer) -> None:
    api = Api(ScriptedEngine(says("x"), tokenizer=tokenizer))
    await api.answer(COMPLETIONS, body)
    assert api.engine.request.prompt.token_ids == tuple(tokenizer.encode("a"))
    assert api.engine.request.stopping.stop_token_ids == ()


async def test_a_stream_fills_the_gap_as_an_answer_does() -> None:
    api = Api(engine())
    chunks = await api.chunks(COMPLETIONS, completion("a", suffix="b"))
    assert "".join(chunk["choices"][0]["text"] for chunk in chunks) == "xy"
    assert api.engine.request.prompt.token_ids == card("a", "b")


@pytest.mark.parametrize("prompt", ["abc", coder().encode("abc")])
async def test_offsets_of_logprobs_count_from_the_text_before_the_gap(prompt: object) -> None:
    answer = await Api(engine()).answer(COMPLETIONS, completion(prompt, suffix="defg", logprobs=1))
    assert answer["choices"][0]["logprobs"]["text_offset"][0] == len("abc")


async def test_echo_is_refused_beside_a_suffix() -> None:
    api = Api(engine())
    refusal = await api.refusal(COMPLETIONS, completion("a", suffix="b", echo=True))
    assert (refusal.status, refusal.param) == (400, "echo")
    await api.answer(COMPLETIONS, completion("a", suffix="", echo=True))


async def test_a_request_that_ignores_end_tokens_ignores_those_of_the_form_as_well() -> None:
    api = Api(engine())
    await api.answer(COMPLETIONS, completion("a", suffix="b", ignore_eos=True))
    assert api.engine.request.stopping.stop_token_ids == ()


async def test_a_model_without_the_tokens_refuses_a_suffix_by_name() -> None:
    api = Api(says("x"))
    status, error = await api.error(COMPLETIONS, completion("a", suffix="b"))
    assert (status, error["param"], error["code"]) == (400, "suffix", "unsupported_parameter")
    assert "fill in the middle" in error["message"]
    assert api.engine.requests == []


@pytest.mark.parametrize(("contract", "status"), [(TgiApi, 422), (HfApi, 400)])
async def test_tgis_completions_fill_gaps_too(contract: type[TgiApi], status: int) -> None:
    api = contract(engine())
    body = completion(["a", "b"], suffix="c")
    answer = await api.answer("/v1/completions", body)
    assert [choice["text"] for choice in answer["choices"]] == ["xy", "xy"]
    assert [request.prompt.token_ids for request in api.engine.requests] == [card("a", "c"), card("b", "c")]
    assert set(api.engine.requests[0].stopping.stop_token_ids) == set(ends())
    await api.answer("/v1/completions", completion("a", suffix=""))
    assert api.engine.requests[-1].prompt.token_ids == tuple(coder().encode("a"))
    refused = await contract(says("x")).refusal("/v1/completions", body)
    assert refused[:2] == (status, "suffix not supported")
    too_long = await api.refusal("/v1/completions", completion("a", suffix="c" * 5000))
    assert too_long[:2] == (status, "validation")


@pytest.mark.parametrize(("before", "after"), [(10, 500), (500, 10), (60, 60)])
async def test_both_texts_count_towards_the_context(before: int, after: int, tmp_path: Path) -> None:
    model = save_tiny_model(tmp_path, more_tokens=QWEN, max_position_embeddings=100)
    real = await AsyncEngine.start(EngineConfig(model=str(model), num_kv_blocks=64))
    try:
        body = {"prompt": "a" * before, "suffix": "b" * after, "max_tokens": 4, "model": MODEL}
        response = await send(build_app(Settings(), real), "POST", COMPLETIONS, json=body)
        assert response.status_code == 400
        assert response.json()["error"]["code"] == "context_length_exceeded"
    finally:
        await real.stop()


async def test_a_real_model_answers_the_framed_prompt(tmp_path: Path) -> None:
    model = save_tiny_model(tmp_path, more_tokens=QWEN)
    real = await AsyncEngine.start(EngineConfig(model=str(model), num_kv_blocks=64))
    try:
        app = build_app(Settings(), real)
        options = {"model": MODEL, "max_tokens": 12, "temperature": 0, "logprobs": 1}
        body = {**options, "prompt": "def f(", "suffix": "):\n"}
        filled = await send(app, "POST", COMPLETIONS, json=body)
        prompt = real.tokenizer.encode("<|fim_prefix|>def f(<|fim_suffix|>):\n<|fim_middle|>")
        plain = await send(app, "POST", COMPLETIONS, json={**options, "prompt": prompt})
        assert filled.status_code == plain.status_code == 200, filled.text
        told, expected = (answer.json()["choices"][0]["logprobs"]["tokens"] for answer in (filled, plain))
        assert told == expected[: len(told)]  # the frame's own end tokens may end it sooner
        assert filled.json()["usage"]["prompt_tokens"] == len(prompt)
    finally:
        await real.stop()
