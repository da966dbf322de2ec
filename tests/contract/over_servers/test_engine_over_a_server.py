"""Contracts name what the engine of a token server lacks; what it has is the same as over our own engine."""

import json
import re
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import pytest
import pytest_asyncio
from starlette.types import ASGIApp

from engine.remote.wire.apis import APIS
from engine.remote.wire.token_api import ApiFacts, PriorityOrder
from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.token_servers.fronts import KINDS, WITH_OPTIONS, engine_over, new_recording
from tests.unit.verbatim_kit.runtime.client import send

# What no two answers have in common: times, and names drawn for one answer.
_OWN = re.compile(
    r'"(?:id|created|created_at|completed_at|system_fingerprint|item_id|call_id|\w*(?:time|_ms|_per_second)\w*)"'
    r':\s*(?:"[^"]*"|[\d.eE+-]+|null|\[[^\]]*\])'
)
_DRAWN = re.compile(r"(?:call|chatcmpl|cmpl|resp|msg|rs|fc|toolu)[_-][\w-]+")

USER = [{"role": "user", "content": "Hello, my name is Anna."}]
GREEDY = {"model": "verbatim-demo", "messages": USER, "temperature": 0, "max_tokens": 24}

# By the capability that a server may lack: the request, the status of its refusal, and the field that the
# error names.
REFUSED: dict[str, tuple[str, dict[str, Any], int, str]] = {
    "typical_p": (
        "/tgi/generate",
        {"inputs": "a", "parameters": {"typical_p": 0.5, "max_new_tokens": 2, "seed": 3}},
        422,
        "typical_p",
    ),
    "watermark": (
        "/hf/generate",
        {"inputs": "a", "parameters": {"watermark": True, "max_new_tokens": 2}},
        400,
        "watermark",
    ),
    "beams": (
        "/openai/v1/chat/completions",
        {**GREEDY, "use_beam_search": True, "n": 2},
        400,
        "use_beam_search",
    ),
    "logprob_token_ids": (
        "/openai/v1/chat/completions",
        {**GREEDY, "logprobs": True, "logprob_token_ids": [1]},
        400,
        "logprob_token_ids",
    ),
    "priority": ("/openai/v1/chat/completions", {**GREEDY, "priority": 3}, 400, "priority"),
    "priority, as nice": (
        "/aleph_alpha/complete?nice=true",
        {"model": "verbatim-demo", "prompt": "a", "maximum_tokens": 2},
        400,
        "nice",
    ),
    "bad_words, as excluded text": (
        "/aleph_alpha/complete",
        {
            "model": "verbatim-demo",
            "prompt": "My name is",
            "maximum_tokens": 6,
            "temperature": 0,
            "completion_bias_exclusion": ["Anna"],
        },
        400,
        "completion_bias_exclusion",
    ),
    "bad_words": ("/openai/v1/chat/completions", {**GREEDY, "bad_words": ["Anna"]}, 400, "bad_words"),
    "allowed_token_ids": (
        "/openai/v1/chat/completions",
        {**GREEDY, "allowed_token_ids": [40, 41]},
        400,
        "allowed_token_ids",
    ),
    "thinking_budget": (
        "/openai/v1/chat/completions",
        {**GREEDY, "max_tokens": 60, "enable_thinking": True, "thinking_token_budget": 3},
        400,
        "thinking_token_budget",
    ),
    "thinking_budget, of a response": (
        "/openai/v1/responses",
        {
            "model": "verbatim-demo",
            "input": "What is 12 plus 30?",
            "temperature": 0,
            "chat_template_kwargs": {"enable_thinking": True},
            "reasoning": {"max_tokens": 2},
        },
        400,
        "reasoning.max_tokens",
    ),
    "embeddings": ("/openai/v1/embeddings", {"model": "verbatim-demo", "input": "a"}, 400, "model"),
}


class Servers(NamedTuple):
    """missing: of the capabilities of the engine over the token server."""

    missing: tuple[str, ...]
    own: ASGIApp
    over_server: ASGIApp


@pytest_asyncio.fixture(scope="module", params=[*KINDS, WITH_OPTIONS])
async def servers(request: pytest.FixtureRequest) -> AsyncIterator[Servers]:
    """Yield two applications whose tokens one engine computes: at hand, and behind a token server."""
    engine = await new_recording(max_total_tokens=None)
    async with engine_over(request.param, engine) as remote:
        settings = Settings()
        missing = remote.capabilities.missing
        yield Servers(missing, build_app(settings, engine), build_app(settings, remote))
    await engine.stop()


def without_own(text: str) -> str:
    """Return an answer without what is its own, so that two of them can be compared."""
    return _DRAWN.sub("", _OWN.sub("", text))


@pytest.mark.parametrize("name, refused", REFUSED.items(), ids=REFUSED)
async def test_what_the_server_lacks_is_refused_by_the_contracts_own_field(
    servers: Servers, name: str, refused: tuple[str, dict[str, Any], int, str]
) -> None:
    path, body, status, field = refused
    answer = await send(servers.over_server, "POST", path, json=body)
    if name.partition(",")[0] not in servers.missing:
        assert without_own(answer.text) == without_own(
            (await send(servers.own, "POST", path, json=body)).text
        )
        return
    assert answer.status_code == status, answer.text
    assert f"`{field}` is not supported by the engine of this server" in answer.text
    if path.startswith("/openai"):
        assert json.loads(answer.text)["error"]["param"] == field
        assert json.loads(answer.text)["error"]["code"] == "unsupported_parameter"


def test_each_kind_of_server_lacks_what_its_page_says() -> None:
    """The tables of docs/vllm.md and docs/sglang.md name the same, and what options give."""
    common = {"typical_p", "watermark", "beams", "thinking_budget", "priority", "embeddings"}
    assert set(APIS["vllm"].capabilities.missing) == common | {"logprob_token_ids"}
    assert set(APIS["sglang"].capabilities.missing) == common | {"bad_words", "allowed_token_ids"}
    options = ApiFacts(priorities=PriorityOrder.LOWEST_FIRST, lists_named_logprobs=True, bounds_thoughts=True)
    of_vllm = {"priority", "logprob_token_ids", "thinking_budget"}
    for name, there in (("vllm", of_vllm), ("sglang", {"priority"})):
        missing = set(APIS[name].capabilities.missing)
        assert set(APIS[name].fitted(options).capabilities.missing) == missing - there
    assert set(APIS["verbatim"].capabilities.missing) == {"beams", "embeddings"}
