"""Contracts answer the same over a token server as over the engine behind it, and name what it lacks."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import pytest
import pytest_asyncio
from starlette.types import ASGIApp

from engine.async_engine import AsyncEngine
from engine.config import EngineConfig
from engine.demo_model import DEMO_MODEL
from engine.remote.config import RemoteConfig
from engine.remote.remote_engine import RemoteEngine
from engine.remote.wire.apis import APIS
from engine.remote.wire.token_api import ApiFacts, PriorityOrder
from handlers.app import build_app
from handlers.settings.settings import Settings
from tests.scripted.upstream import Reply, running_upstream
from tests.servers import sglang, vllm
from tests.servers.running_app import running_app
from tests.unit.handlers.runtime.client import send

# What no two answers have in common: times, and names drawn for one answer.
_OWN = re.compile(
    r'"(?:id|created|created_at|completed_at|system_fingerprint|item_id|call_id|\w*(?:time|_ms|_per_second)\w*)"'
    r':\s*(?:"[^"]*"|[\d.eE+-]+|null|\[[^\]]*\])'
)
_DRAWN = re.compile(r"(?:call|chatcmpl|cmpl|resp|msg|rs|fc|toolu)[_-][\w-]+")

TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
USER = [{"role": "user", "content": "Hello, my name is Anna."}]
GREEDY = {"model": "verbatim-demo", "messages": USER, "temperature": 0, "max_tokens": 24}
DRAWN = {**GREEDY, "temperature": 1.0, "seed": 7}
NATIVE = {"inputs": "Hello", "parameters": {"max_new_tokens": 12}}
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}

SAME: dict[str, tuple[str, dict[str, Any]]] = {
    "chat": ("/openai/v1/chat/completions", GREEDY),
    "chat stream": ("/openai/v1/chat/completions", {**GREEDY, "stream": True}),
    "a seed": ("/openai/v1/chat/completions", DRAWN),
    "three choices": ("/openai/v1/chat/completions", {**DRAWN, "n": 3}),
    "log-probabilities": ("/openai/v1/chat/completions", {**DRAWN, "logprobs": True, "top_logprobs": 3}),
    "a stop string": ("/openai/v1/chat/completions", {**GREEDY, "stop": ["n", "!"]}),
    "a length": ("/openai/v1/chat/completions", {**GREEDY, "max_tokens": 3}),
    "a schema": (
        "/openai/v1/chat/completions",
        {
            **GREEDY,
            "max_tokens": 60,
            "response_format": {"type": "json_schema", "json_schema": {"name": "s", "schema": SCHEMA}},
        },
    ),
    "a tool": (
        "/openai/v1/chat/completions",
        {
            **GREEDY,
            "max_tokens": 80,
            "messages": [{"role": "user", "content": "What is the weather in Paris?"}],
            "tools": [TOOL],
        },
    ),
    "penalties": (
        "/openai/v1/chat/completions",
        {**GREEDY, "presence_penalty": 1.5, "frequency_penalty": 0.5, "logit_bias": {"40": 5}},
    ),
    "completion with its prompt": (
        "/openai/v1/completions",
        {
            "model": "verbatim-demo",
            "prompt": "Hello",
            "max_tokens": 5,
            "temperature": 0,
            "echo": True,
            "logprobs": 2,
        },
    ),
    "native": ("/tgi/generate", {**NATIVE, "parameters": {"max_new_tokens": 12, "details": True}}),
    "native stream": ("/tgi/generate_stream", NATIVE),
    "the prompt's tokens": (
        "/tgi/generate",
        {
            "inputs": "Hello",
            "parameters": {"max_new_tokens": 4, "details": True, "decoder_input_details": True},
        },
    ),
    "messages": (
        "/anthropic/v1/messages",
        {"model": "verbatim-demo", "messages": USER, "max_tokens": 24, "temperature": 0},
    ),
    "messages stream": (
        "/anthropic/v1/messages",
        {"model": "verbatim-demo", "messages": USER, "max_tokens": 24, "temperature": 0, "stream": True},
    ),
    "triton": (
        "/triton/v2/models/verbatim-demo/generate",
        {"text_input": "Hello", "parameters": {"max_tokens": 8, "temperature": 0}},
    ),
    "mindie": ("/mindie/v1/chat/completions", {**GREEDY}),
    "aleph alpha": (
        "/aleph_alpha/complete",
        {"model": "verbatim-demo", "prompt": "Hello", "maximum_tokens": 6, "temperature": 0},
    ),
}

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
    "embeddings": ("/openai/v1/embeddings", {"model": "verbatim-demo", "input": "a"}, 400, "model"),
}


class Servers(NamedTuple):
    """missing: of the capabilities of the engine over the token server."""

    missing: tuple[str, ...]
    own: ASGIApp
    over_server: ASGIApp


@pytest_asyncio.fixture(
    scope="module", params=["vllm", "vllm, options", "sglang", "sglang, incremental", "verbatim"]
)
async def servers(request: pytest.FixtureRequest) -> AsyncIterator[Servers]:
    """Yield two applications whose tokens one engine computes: at hand, and behind a token server."""
    api, _, kind = request.param.partition(", ")
    settings = Settings()
    # Without prefix caching, since no cached tokens are reported over a server.
    engine = await AsyncEngine.start(
        EngineConfig(model=str(DEMO_MODEL), dtype="float32", num_kv_blocks=1024, prefix_caching=False)
    )
    own = build_app(settings, engine)
    async with upstream_of(engine, own, api, has_options=bool(kind)) as url:
        config = RemoteConfig(model=str(DEMO_MODEL), api=api, urls=(url,), priorities=kind == "options")
        remote = await RemoteEngine.start(config)
        yield Servers(remote.capabilities.missing, own, build_app(settings, remote))
        await remote.stop()
    await engine.stop()


@asynccontextmanager
async def upstream_of(
    engine: AsyncEngine, app: ASGIApp, api: str, *, has_options: bool
) -> AsyncIterator[str]:
    """Serve the engine by a token API: Verbatim's own is the application's. Yields the URL."""
    if api == "verbatim":
        async with running_app(app) as url:
            yield url
        return
    async with running_upstream(reply(engine, api, has_options=has_options)) as upstream:
        upstream.models = [{"id": "verbatim-demo", "max_model_len": engine.model_info.max_total_tokens}]
        yield upstream.url


def reply(engine: AsyncEngine, api: str, *, has_options: bool) -> Reply:
    if api == "vllm":
        return vllm.computes(engine, has_options=has_options)
    return sglang.computes(engine, is_incremental=has_options)


def without_own(text: str) -> str:
    """Return an answer without what is its own, so that two of them can be compared."""
    return _DRAWN.sub("", _OWN.sub("", text))


@pytest.mark.parametrize("path, body", SAME.values(), ids=SAME)
async def test_an_answer_is_the_same_over_a_server(servers: Servers, path: str, body: dict[str, Any]) -> None:
    headers = {"anthropic-version": "2023-06-01"}
    expected = await send(servers.own, "POST", path, json=body, headers=headers)
    found = await send(servers.over_server, "POST", path, json=body, headers=headers)
    assert expected.status_code == 200, expected.text
    assert found.status_code == 200, found.text
    assert without_own(found.text) == without_own(expected.text)


async def test_each_of_several_completions_has_its_prompt(servers: Servers) -> None:
    path, body = SAME["completion with its prompt"]
    answers = [
        await send(app, "POST", path, json={**body, "n": 2}) for app in (servers.own, servers.over_server)
    ]
    assert [answer.status_code for answer in answers] == [200, 200], answers[1].text
    own, over_server = (answer.json()["choices"] for answer in answers)
    assert len(over_server) == 2
    for expected, found in zip(own, over_server, strict=True):
        assert found["text"] == expected["text"]
        scored, expected_scored = (each["logprobs"]["token_logprobs"] for each in (found, expected))
        # One batch and two requests differ in the last digits.
        assert scored[0] is expected_scored[0] is None
        assert scored[1:] == pytest.approx(expected_scored[1:], abs=1e-3)


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
    common = {"typical_p", "watermark", "beams", "priority", "embeddings"}
    assert set(APIS["vllm"].capabilities.missing) == common | {"logprob_token_ids"}
    assert set(APIS["sglang"].capabilities.missing) == common | {"bad_words", "allowed_token_ids"}
    options = ApiFacts(priorities=PriorityOrder.LOWEST_FIRST, lists_named_logprobs=True)
    for name, there in (("vllm", {"priority", "logprob_token_ids"}), ("sglang", {"priority"})):
        missing = set(APIS[name].capabilities.missing)
        assert set(APIS[name].fitted(options).capabilities.missing) == missing - there
    assert set(APIS["verbatim"].capabilities.missing) == {"beams", "embeddings"}
