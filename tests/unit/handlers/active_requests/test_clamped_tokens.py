"""A request for more tokens than the context leaves is refused, or shortened where the operator says so."""

from collections.abc import Iterable
from typing import Any

import pytest

from engine.port.admission import check_request
from engine.port.events import FinishReason, TokenEvent
from engine.port.request import GenerationRequest
from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.verbatim_kit.runtime.client import send

CONTEXT = 200
TOO_MANY = 150  # beside a prompt of 50 tokens or more
TEXT = "x" * 80
CHAT = {"model": "verbatim-demo", "messages": [{"role": "user", "content": TEXT}]}
NATIVE = {"inputs": TEXT, "parameters": {"max_new_tokens": TOO_MANY, "details": True}}
PROMPT = {"model": "verbatim-demo", "prompt": TEXT}

# The path, the body, and the finish reason in the answer's text.
REQUESTS: list[tuple[str, dict[str, Any], str]] = [
    ("/openai/v1/chat/completions", {**CHAT, "max_tokens": TOO_MANY}, '"finish_reason":"length"'),
    ("/openai/v1/chat/completions", {**CHAT, "max_completion_tokens": TOO_MANY}, '"finish_reason":"length"'),
    ("/openai/v1/completions", {**PROMPT, "max_tokens": TOO_MANY}, '"finish_reason":"length"'),
    (
        "/openai/v1/responses",
        {"model": "verbatim-demo", "input": TEXT, "max_output_tokens": TOO_MANY},
        '"reason":"max_output_tokens"',
    ),
    (
        "/openai/v1/responses",
        {
            "model": "verbatim-demo",
            "input": [{"role": "user", "content": TEXT}],
            "max_output_tokens": 10 * CONTEXT,
            "truncation": "auto",
        },
        '"reason":"max_output_tokens"',
    ),
    ("/tgi/generate", NATIVE, '"finish_reason":"length"'),
    ("/tgi/v1/chat/completions", {**CHAT, "max_tokens": TOO_MANY}, '"finish_reason":"length"'),
    ("/tgi/v1/completions", {**PROMPT, "max_tokens": TOO_MANY}, '"finish_reason":"length"'),
    ("/hf/generate", NATIVE, '"finish_reason":"length"'),
    ("/hf/v1/chat/completions", {**CHAT, "max_tokens": TOO_MANY}, '"finish_reason":"length"'),
    ("/hf/v1/completions", {**PROMPT, "max_tokens": TOO_MANY}, '"finish_reason":"length"'),
    ("/aleph_alpha/complete", {**PROMPT, "maximum_tokens": TOO_MANY}, '"finish_reason":"maximum_tokens"'),
    ("/aleph_alpha/chat/completions", {**CHAT, "max_tokens": TOO_MANY}, '"finish_reason":"length"'),
    (
        "/tokens/inference/v1/generate",
        {"token_ids": [72] * 80, "sampling_params": {"max_tokens": TOO_MANY}},
        '"finish_reason":"length"',
    ),
]


async def ask(path: str, body: dict[str, Any], **settings: Any) -> tuple[ScriptedEngine, int, str]:
    """Ask an engine that refuses what a real one refuses."""

    def script(request: GenerationRequest) -> Iterable[TokenEvent | Exception]:
        check_request(request, engine.model_info)
        return says("a", "b", finish=FinishReason.LENGTH)(request)

    engine = ScriptedEngine(script, max_total_tokens=CONTEXT)
    response = await send(build_app(Settings(**settings), engine), "POST", path, json=body)
    return engine, response.status_code, response.text


@pytest.mark.parametrize(("path", "body", "finish"), REQUESTS)
async def test_an_answer_is_as_long_as_the_context_allows_where_it_is_clamped(
    path: str, body: dict[str, Any], finish: str
) -> None:
    engine, status, text = await ask(path, body, clamp_max_tokens=True)
    assert (status, finish in text) == (200, True), text
    assert engine.request.stopping.max_tokens == CONTEXT - len(engine.request.prompt.token_ids)
    for refused, clamps in ((body, False), ({**body, **_without_room(body)}, True)):
        _, status, text = await ask(path, refused, clamp_max_tokens=clamps)
        assert status in (400, 422), text


def _without_room(body: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a prompt that is ten times as long."""
    prompts = {
        name: body[name] for name in ("messages", "inputs", "prompt", "input", "token_ids") if name in body
    }
    return {
        name: [{**value[0], "content": TEXT * 10}] if isinstance(value[0], dict) else value * 10
        for name, value in prompts.items()
    }


async def test_a_rendered_request_is_clamped_too() -> None:
    path = "/openai/v1/chat/completions/render"
    body = {**CHAT, "max_tokens": TOO_MANY}
    assert (await ask(path, body))[1] == 400
    _, status, text = await ask(path, body, clamp_max_tokens=True)
    assert status == 200 and f'"max_tokens":{TOO_MANY}' not in text
