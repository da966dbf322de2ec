"""The spans of requests, as a collector gets them."""

import asyncio
import logging
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any, Final

import httpx
import pytest
from msgspec.structs import replace
from opentelemetry.proto.trace.v1.trace_pb2 import Status
from starlette.types import ASGIApp

from engine.demo_model import DEMO_MODEL
from engine.port.errors import GenerationFailed
from engine.port.events import FinishReason, TokenEvent
from engine.port.request import GenerationRequest
from engine.remote.config import RemoteConfig
from engine.remote.remote_engine import RemoteEngine
from handlers.composition import build_app
from handlers.settings.settings import Settings
from handlers.version import VERSION
from tests.support.scripted.engine import Script, ScriptedEngine, fails_after, says
from tests.support.scripted.token_server import (
    DONE,
    Reply,
    ScriptedUpstream,
    answers,
    running_upstream,
    sends,
    tokens,
)
from tests.support.servers.collector import Collector, running_collector
from tests.support.servers.running_app import living, running_app
from tests.support.token_servers import emulated_sglang as sglang
from tests.unit.handlers.contracts.openai.api import CALL, CHAT, EMBEDDINGS, MODEL, MODELS, TOOL, Api
from tests.unit.verbatim_kit.runtime.client import send

TRACE: Final = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT: Final = "00f067aa0ba902b7"
STATE: Final = "vendor=a,other=b"
SAMPLED: Final = {"traceparent": f"00-{TRACE}-{PARENT}-01", "tracestate": STATE}
UNSAMPLED: Final = {"traceparent": f"00-{TRACE}-{PARENT}-00"}
BODY: Final[dict[str, Any]] = {
    "model": MODEL,
    "messages": [{"role": "user", "content": "a secret question"}],
    "max_tokens": 20,
    "temperature": 0.5,
    "top_p": 0.9,
    "stop": "a secret stop",
}
PHASES: Final = ["prepare", "queue", "prefill", "decode"]
UNSET: Final = Status.STATUS_CODE_UNSET


@pytest.fixture(autouse=True)
def _sends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "20")


@asynccontextmanager
async def traced(script: Script | ScriptedEngine, **settings: Any) -> AsyncIterator[tuple[Api, Collector]]:
    async with running_collector() as collector:
        api = Api(script, otlp_endpoint=collector.url, **settings)
        async with living(api.app):
            yield api, collector


async def test_a_request_is_a_span_of_its_callers_trace_with_its_phases_below() -> None:
    async with traced(says("a secret", " answer")) as (api, collector):
        answer = await api.post(CHAT, BODY, headers={**SAMPLED, "x-request-id": "my-id"})
        tree = await collector.tree()
    root = tree.root
    assert (root.trace_id.hex(), root.parent_span_id.hex(), root.trace_state) == (TRACE, PARENT, STATE)
    assert (root.name, root.status.code) == (f"POST {CHAT}", UNSET)
    assert tree.attributes == {
        "http.request.method": "POST",
        "http.route": CHAT,
        "url.path": CHAT,
        "url.scheme": "http",
        "http.response.status_code": 200,
        "client.address": "127.0.0.1",
        "verbatim.operation": "openai.createChatCompletion",
        "verbatim.request_id": "my-id",
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "verbatim",
        "gen_ai.request.model": MODEL,
        "gen_ai.response.model": MODEL,
        "gen_ai.request.max_tokens": 20,
        "gen_ai.request.temperature": 0.5,
        "gen_ai.request.top_p": 0.9,
        "gen_ai.usage.input_tokens": answer.json()["usage"]["prompt_tokens"],
        "gen_ai.usage.output_tokens": 3,
        "gen_ai.response.finish_reasons": ["stop"],
    }
    assert collector.resource["service.name"] == "verbatim"
    assert collector.resource["service.version"] == VERSION
    assert list(tree.children) == PHASES
    children = list(tree.children.values())
    for earlier, later in zip(children, children[1:], strict=False):
        assert earlier.end_time_unix_nano == later.start_time_unix_nano
    assert not any(b"secret" in body for body in collector.bodies)


async def test_the_prefill_begins_when_the_engine_says() -> None:
    def script(request: GenerationRequest) -> Iterator[TokenEvent]:
        for event in says("a", "b")(request):
            assert isinstance(event, TokenEvent)
            yield replace(event, queue_s=0.02)

    gate = asyncio.Event()
    async with traced(ScriptedEngine(script, gate=gate)) as (api, collector):
        asking = asyncio.create_task(api.post(CHAT, BODY))
        await asyncio.sleep(0.05)  # in the engine, of which the first 20 ms are the queue
        gate.set()
        await asking
        tree = await collector.tree()
    lengths = {
        name: (span.end_time_unix_nano - span.start_time_unix_nano) / 1e9
        for name, span in tree.children.items()
    }
    assert lengths["queue"] == pytest.approx(0.02, abs=1e-6)
    assert lengths["prefill"] >= 0.01


async def test_a_stream_has_the_time_of_its_first_chunk() -> None:
    async with traced(says("a", "b", finish=FinishReason.LENGTH)) as (api, collector):
        await api.post(CHAT, {**BODY, "stream": True})
        tree = await collector.tree()
    attributes = tree.attributes
    assert not tree.root.parent_span_id and len(tree.root.trace_id) == 16
    assert attributes["gen_ai.request.stream"] is True
    first = tree.children["prefill"].end_time_unix_nano - tree.root.start_time_unix_nano
    assert attributes["gen_ai.response.time_to_first_chunk"] == pytest.approx(first / 1e9, abs=1e-6)
    assert attributes["gen_ai.response.finish_reasons"] == ["length"]
    assert list(tree.children) == PHASES


@pytest.mark.parametrize("stream", [False, True])
async def test_tool_calls_have_a_span_within_the_decoding(stream: bool) -> None:
    async with traced(says("Well. ", *CALL, CALL)) as (api, collector):
        await api.post(CHAT, {**BODY, "tools": [TOOL], "stream": stream})
        tree = await collector.tree()
    assert tree.attributes["gen_ai.response.finish_reasons"] == ["tool_call"]
    calls, decode = tree.children["tool_calls"], tree.children["decode"]
    assert [(each.key, each.value.int_value) for each in calls.attributes] == [("verbatim.tool_calls", 2)]
    assert decode.start_time_unix_nano < calls.start_time_unix_nano < calls.end_time_unix_nano


async def test_an_engines_failure_is_the_requests() -> None:
    async with traced(fails_after(GenerationFailed("no"), "a")) as (api, collector):
        await api.post(CHAT, BODY)
        tree = await collector.tree()
    assert tree.root.status.code == Status.STATUS_CODE_ERROR
    assert tree.attributes["error.type"] == "GenerationFailed"
    assert tree.attributes["http.response.status_code"] == 500


async def test_a_stream_that_fails_after_its_status_is_failed() -> None:
    async with traced(fails_after(GenerationFailed("no"), "a")) as (api, collector):
        await api.post(CHAT, {**BODY, "stream": True})
        tree = await collector.tree()
    assert tree.root.status.code == Status.STATUS_CODE_ERROR
    assert tree.attributes["error.type"] == "GenerationFailed"
    assert tree.attributes["http.response.status_code"] == 200


@pytest.mark.parametrize(
    ("change", "status", "kind", "phases"),
    [
        ({"model": "another"}, 404, "ModelNotFound", ["prepare"]),
        ({"max_tokens": -1}, 400, "InvalidRequest", []),
    ],
)
async def test_a_refusal_has_its_kind_and_is_no_failure(
    change: dict[str, Any], status: int, kind: str, phases: list[str]
) -> None:
    async with traced(says("a")) as (api, collector):
        await api.post(CHAT, {**BODY, **change})
        tree = await collector.tree()
    assert tree.root.status.code == UNSET
    assert (tree.attributes["http.response.status_code"], tree.attributes["error.type"]) == (status, kind)
    assert tree.attributes["gen_ai.operation.name"] == "chat"
    assert "gen_ai.usage.input_tokens" not in tree.attributes
    assert list(tree.children) == phases


@pytest.mark.parametrize("has_begun", [False, True])
async def test_a_request_whose_client_went_away_is_dropped(has_begun: bool) -> None:
    gate = asyncio.Event()
    engine = ScriptedEngine(says(*["a"] * 50_000), gate=gate)
    async with traced(engine) as (api, collector), running_app(api.app) as url, httpx.AsyncClient() as client:
        if has_begun:
            gate.set()
            async with client.stream("POST", url + CHAT, json={**BODY, "stream": True}) as answer:
                await anext(answer.aiter_bytes())
        else:
            with pytest.raises(httpx.ReadTimeout):
                await client.post(url + CHAT, json=BODY, timeout=0.2)
        tree = await collector.tree()
    assert tree.root.status.code == Status.STATUS_CODE_ERROR
    assert tree.attributes["error.type"] == "disconnected"
    assert tree.attributes.get("http.response.status_code") == (200 if has_begun else None)
    assert list(tree.children) == (PHASES if has_begun else ["prepare", "engine"])


async def test_embeddings_are_told_from_chats() -> None:
    async with traced(says("a")) as (api, collector):
        await api.post(EMBEDDINGS, {"model": MODEL, "input": "a secret"})
        tree = await collector.tree()
    assert tree.attributes["gen_ai.operation.name"] == "embeddings"
    assert tree.attributes["gen_ai.usage.output_tokens"] == 0
    assert list(tree.children) == ["prepare", "engine"]


async def test_other_operations_have_one_span_and_probes_none() -> None:
    async with traced(says("a")) as (api, collector):
        for path in ("/health", "/tgi/health", "/metrics", "/ping", "/nowhere"):
            await api.get(path)
        await api.get(f"{MODELS}/{MODEL}")
        tree = await collector.tree()
    assert tree.attributes["http.route"] == MODELS + "/{model:path}"
    assert tree.attributes["url.path"] == f"{MODELS}/{MODEL}"
    assert "gen_ai.operation.name" not in tree.attributes and not tree.children


async def test_a_caller_that_samples_nothing_gets_no_span() -> None:
    async with traced(says("a")) as (api, collector):
        await api.post(CHAT, BODY, headers=UNSAMPLED)
        await api.post(CHAT, BODY, headers=SAMPLED)
        tree = await collector.tree()
    assert tree.root.trace_id.hex() == TRACE


async def test_the_standard_variables_name_and_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_SERVICE_NAME", "shop")
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "parentbased_always_off")
    async with traced(says("a")) as (api, collector):
        await api.post(CHAT, BODY)  # which its sampler leaves out
        await api.post(CHAT, BODY, headers=SAMPLED)
        await collector.tree()
        assert collector.resource["service.name"] == "shop"
        assert collector.resource["deployment.environment.name"] == "test"
    async with running_collector() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        api = Api(says("a"), otlp_service_name="own")
        async with living(api.app):
            await api.post(CHAT, BODY, headers=SAMPLED)
        await collector.tree()
        assert collector.resource["service.name"] == "own"


# The answer to the probe at the start, and the stream that answers a request.
REPLIES: Final[dict[str, tuple[Reply, Reply]]] = {
    "vllm": (
        answers({"choices": [{"index": 0, "token_ids": [5], "finish_reason": "length"}]}),
        sends(tokens(5, 6)),
    ),
    "sglang": (
        answers(sglang.answer([5], "length")),
        sends([sglang.event(sglang.answer([5, 6], "length")), DONE]),
    ),
}


@asynccontextmanager
async def front(kind: str, url: str | None) -> AsyncIterator[tuple[ASGIApp, ScriptedUpstream]]:
    """Yield a front that exports to a URL, and the server that computes for it."""
    probe, stream = REPLIES[kind]
    async with running_upstream(probe) as upstream:
        upstream.models[0]["max_model_len"] = 2048
        engine = await RemoteEngine.start(RemoteConfig(model=str(DEMO_MODEL), api=kind, urls=(upstream.url,)))
        upstream.replies = [stream]
        app = build_app(Settings(otlp_endpoint=url), engine)
        async with living(app):
            yield app, upstream


@pytest.mark.parametrize("kind", REPLIES)
async def test_the_server_of_a_front_continues_the_trace(kind: str) -> None:
    async with running_collector() as collector, front(kind, collector.url) as (app, upstream):
        answer = await send(app, "POST", CHAT, json=BODY, headers=SAMPLED)
        assert answer.status_code == 200, answer.text
        tree = await collector.tree()
        passed_on = upstream.headers[-1]
        assert passed_on["traceparent"] == f"00-{TRACE}-{tree.root.span_id.hex()}-01"
        assert passed_on["tracestate"] == STATE
        assert list(tree.children) == PHASES
        await send(app, "POST", CHAT, json=BODY, headers=UNSAMPLED)
        passed_on = upstream.headers[-1]
    assert passed_on["traceparent"].startswith(f"00-{TRACE}-") and passed_on["traceparent"].endswith("-00")
    assert "tracestate" not in passed_on


async def test_without_a_collector_nothing_is_passed_on() -> None:
    async with front("vllm", None) as (app, upstream):
        await send(app, "POST", CHAT, json=BODY, headers=SAMPLED)
        assert "traceparent" not in upstream.headers[-1]


async def test_what_is_queued_is_sent_before_the_server_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "60000")
    async with running_collector() as collector:
        api = Api(says("a"), otlp_endpoint=collector.url)
        async with living(api.app):
            await api.post(CHAT, BODY)
            assert not collector.spans
        assert len(collector.spans) == 1 + len(PHASES)


async def test_a_collector_that_does_not_answer_holds_nothing_up(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "2")
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "1")
    monkeypatch.setattr("handlers.tracing.tracing._CLOSE_S", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        api = Api(says("a"), otlp_endpoint=f"http://127.0.0.1:{silent.getsockname()[1]}")
        begun_s = time.perf_counter()
        async with living(api.app):
            for _ in range(5):
                assert (await api.post(CHAT, BODY)).status_code == 200
        assert time.perf_counter() - begun_s < 5
    messages = [record.message for record in caplog.records if record.levelno == logging.WARNING]
    assert "the last traces could not be sent in 0.1 s" in messages
    assert any("Queue full" in message for message in messages)
