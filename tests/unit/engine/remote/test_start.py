"""The start of an engine over servers: it waits for them, and refuses those of another model."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.demo_model import DEMO_MODEL
from engine.port.errors import EngineDied, GenerationFailed, ModelNotSupported
from engine.port.request import SamplingParams, StopConditions
from engine.remote import build
from engine.remote.config import RemoteConfig
from engine.remote.remote_engine import RemoteEngine
from engine.remote.servers import patience
from tests.support.engine_requests import generation_request
from tests.support.scripted import token_server_program as program
from tests.support.scripted.token_server import Reply, answers, drops, hangs, refuses, running_upstream
from tests.support.servers.processes import children
from tests.support.token_servers import emulated_sglang as sglang

ONE_TOKEN = answers({"choices": [{"index": 0, "token_ids": [5], "finish_reason": "length"}]})


def config(*urls: str, **fields: Any) -> RemoteConfig:
    return RemoteConfig(model=str(DEMO_MODEL), urls=urls, **fields)


@asynccontextmanager
async def started(config: RemoteConfig) -> AsyncIterator[RemoteEngine]:
    engine = await RemoteEngine.start(config)
    try:
        yield engine
    finally:
        await engine.stop()


async def test_the_model_is_described_by_its_files_and_its_server() -> None:
    async with running_upstream(ONE_TOKEN) as upstream, started(config(upstream.url)) as engine:
        info = engine.model_info
        assert (info.architecture, info.max_total_tokens) == ("Qwen3ForCausalLM", 256)
        assert (info.num_blocks, info.block_size, info.vocab_size) == (100, 32, 1536)
        assert engine.tokenizer.end_token_ids == (2, 0)
        assert upstream.received[0]["token_ids"] == [max(engine.tokenizer.known_ids)]


async def test_a_server_that_leads_elsewhere_is_refused_by_the_address() -> None:
    async def lead(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 308 Go\r\nLocation: https://b.example/v1/models\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(lead, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        with pytest.raises(ModelNotSupported, match="leads to https://b.example/v1/models"):
            await RemoteEngine.start(config(url))


async def test_a_server_of_another_api_is_asked_in_its_form() -> None:
    reply = answers(sglang.answer([5], "length"))
    said: list[str] = []
    async with running_upstream(reply) as upstream:
        upstream.server_info["enable_deterministic_inference"] = False
        engine = await RemoteEngine.start(config(upstream.url, api="sglang"), on_progress=said.append)
        await engine.stop()
    info = engine.model_info
    assert (info.num_blocks, info.block_size, info.device) == (100, 32, "sglang")
    assert upstream.received[0]["input_ids"] == [max(engine.tokenizer.known_ids)]
    assert len(said) == 1 and said[0].startswith("warning: seeds have no effect")


async def test_a_cache_with_less_room_than_the_context_bounds_a_request() -> None:
    async with running_upstream(answers(sglang.answer([5], "length"))) as upstream:
        upstream.server_info["max_total_num_tokens"] = 160
        async with started(config(upstream.url, api="sglang")) as engine:
            assert engine.model_info.max_total_tokens == 160


async def test_a_server_is_started_by_its_command_and_ends_with_the_engine() -> None:
    command = (sys.executable, "-m", "tests.support.scripted.token_server_program", "{port}")
    async with started(config(command=command)) as engine:
        request = generation_request(
            request_id="a",
            token_ids=[5],
            sampling=SamplingParams(temperature=0.0),
            stopping=StopConditions(max_tokens=8),
        )
        found = [event.token_id async for event in engine.submit(request)]
        assert found == [*program.TOKENS, program.END]
        assert (await engine.health()).is_healthy
        server = engine._server
    assert server is not None
    assert await asyncio.wait_for(server.exited(), 60) == 128 + signal.SIGTERM
    assert not engine._death.is_set()


async def test_a_server_that_is_there_already_is_not_taken_for_the_commands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(build, "TERM_S", 0.0)
    monkeypatch.setattr(build, "_MORE_S", 0.1)
    command = (sys.executable, "-m", "tests.support.scripted.token_server_program", "1")
    async with running_upstream(ONE_TOKEN) as upstream:
        with pytest.raises(ModelNotSupported, match="another server listens at"):
            await RemoteEngine.start(config(upstream.url, command=command))


async def test_a_command_that_ends_before_its_server_is_ready_is_reported() -> None:
    command = (sys.executable, "-c", "import sys; sys.exit(7)", "{port}")
    with pytest.raises(ModelNotSupported, match="ended with status 7 before its server was ready"):
        await RemoteEngine.start(config(command=command))


async def test_the_engine_dies_with_the_server_that_it_has_started() -> None:
    command = (sys.executable, "-m", "tests.support.scripted.token_server_program", "{port}")
    async with started(config(command=command)) as engine:
        request = generation_request(
            request_id="a",
            token_ids=[5],
            sampling=SamplingParams(temperature=0.0),
            stopping=StopConditions(max_tokens=program.MANY + 1),
        )
        reading = engine.submit(request)
        await anext(reading)
        assert engine._server is not None
        os.kill(children(engine._server._process.pid)[0], signal.SIGKILL)
        with pytest.raises(GenerationFailed):
            await anext(reading)
        await asyncio.wait_for(engine.death(), 60)
        health = await engine.health()
        assert (health.is_healthy, health.is_alive) == (False, False)
        with pytest.raises(EngineDied):
            await anext(engine.submit(request))


async def test_the_smallest_context_of_all_servers_counts() -> None:
    async with running_upstream(ONE_TOKEN) as first, running_upstream(ONE_TOKEN) as second:
        second.models[0]["max_model_len"] = 100
        async with started(config(first.url, second.url)) as engine:
            assert engine.model_info.max_total_tokens == 100


async def test_the_model_is_found_among_others_by_its_name() -> None:
    async with running_upstream(ONE_TOKEN) as upstream:
        upstream.models.append({"id": "ours", "max_model_len": 64})
        async with started(config(upstream.url, served_name="ours")) as engine:
            assert engine.model_info.max_total_tokens == 64
        upstream.models.append({"id": "adapter", "parent": "ours"})
        with pytest.raises(ModelNotSupported, match="serves m, ours, and none is called"):
            await RemoteEngine.start(config(upstream.url, start_timeout_s=0.1))


async def test_the_start_waits_until_the_server_is_there() -> None:
    async with running_upstream(ONE_TOKEN) as upstream:
        await upstream.stop()
        said: list[str] = []
        tasks: list[asyncio.Task[None]] = []

        def report(line: str) -> None:
            said.append(line)
            tasks.append(asyncio.create_task(upstream.start()))

        engine = await RemoteEngine.start(config(upstream.url), on_progress=report)
        await engine.stop()
        assert len(said) == 1 and said[0].startswith(f"waiting for the server at {upstream.url}: ")


async def test_one_model_with_aliases_is_found_by_its_root() -> None:
    async with running_upstream(ONE_TOKEN) as upstream:
        upstream.models = [{"id": name, "root": "a", "max_model_len": 64} for name in ("a", "b")]
        upstream.models.append({"id": "adapter", "root": "/adapter", "parent": "a"})
        async with started(config(upstream.url, served_name="ours")) as engine:
            assert engine.model_info.max_total_tokens == 64


async def test_the_start_waits_until_the_server_lists_the_model() -> None:
    """A router lists nothing until its servers are there."""
    async with running_upstream(ONE_TOKEN) as upstream:
        models, upstream.models = upstream.models, []
        said: list[str] = []

        def report(line: str) -> None:
            said.append(line)
            upstream.models = models

        engine = await RemoteEngine.start(config(upstream.url), on_progress=report)
        await engine.stop()
        assert len(said) == 1 and "serves no model, and none is called" in said[0]


async def test_a_list_without_the_model_is_named_once_the_wait_is_over() -> None:
    async with running_upstream(ONE_TOKEN) as upstream:
        upstream.models = []
        with pytest.raises(ModelNotSupported, match="was not ready within 0 s: .* serves no model"):
            await RemoteEngine.start(config(upstream.url, start_timeout_s=0.1))


async def test_the_wait_is_bounded() -> None:
    async with running_upstream(ONE_TOKEN) as upstream:
        await upstream.stop()
        with pytest.raises(ModelNotSupported, match="was not ready within"):
            await RemoteEngine.start(config(upstream.url, start_timeout_s=0.1))


@pytest.mark.parametrize(
    "reply, message, timeout_s",
    [
        (refuses(404), "--enable-scale-out", 60),
        (refuses(400, "Token id 1535 is out of vocabulary"), "the tokenizer is another model's", 60),
        (drops(), "does not answer", 60),
        (hangs(), "does not answer", 0.2),
    ],
    ids=["no token API", "fewer tokens", "lost", "hangs"],
)
async def test_a_server_that_computes_no_token_is_refused(
    reply: Reply, message: str, timeout_s: float
) -> None:
    async with running_upstream(reply) as upstream:
        with pytest.raises(ModelNotSupported, match=message):
            await RemoteEngine.start(config(upstream.url, timeout_s=timeout_s, start_timeout_s=1.0))


@pytest.mark.parametrize(
    "reply",
    [*map(refuses, (429, 502, 503, 504)), drops(), hangs()],
    ids=["429", "502", "503", "504", "lost", "hangs"],
)
async def test_a_server_without_room_is_asked_again_at_the_start(
    reply: Reply, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "_PAUSE_S", 0.01)
    said: list[str] = []
    async with running_upstream(reply, reply, ONE_TOKEN) as upstream:
        engine = await RemoteEngine.start(config(upstream.url, timeout_s=0.2), on_progress=said.append)
        await engine.stop()
    assert len(upstream.received) == 5  # two failures, the probe, and two trials of what is optional
    assert len(said) == 1 and said[0].startswith(f"waiting for the server at {upstream.url}: ")


async def test_a_server_that_has_described_its_model_need_not_have_room() -> None:
    async with running_upstream(ONE_TOKEN) as upstream:
        async with started(config(upstream.url)) as engine:
            info = engine.model_info
        upstream.replies = [refuses(429)]
        upstream.received.clear()
        async with started(config(upstream.url, model_info=info, served_name="m")) as engine:
            assert engine.model_info == info
        assert upstream.received == []


async def test_a_context_over_the_servers_is_refused() -> None:
    async with running_upstream(ONE_TOKEN) as upstream:
        with pytest.raises(ModelNotSupported, match="257 exceeds the server's 256"):
            await RemoteEngine.start(config(upstream.url, max_total_tokens=257))
        async with started(config(upstream.url, max_total_tokens=9)) as engine:
            assert engine.model_info.max_total_tokens == 9


async def test_servers_of_different_models_are_refused() -> None:
    async with running_upstream(ONE_TOKEN) as first, running_upstream(ONE_TOKEN) as second:
        second.models[0]["id"] = "other"
        with pytest.raises(ModelNotSupported, match="different models: m, other"):
            await RemoteEngine.start(config(first.url, second.url))


async def test_files_without_a_model_are_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    async with running_upstream(ONE_TOKEN) as upstream:
        broken = msgspec.structs.replace(config(upstream.url), model=str(tmp_path))
        with pytest.raises(ModelNotSupported, match="vocab_size"):
            await RemoteEngine.start(broken)


async def test_a_model_that_transcribes_is_refused_over_other_servers(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "whisper", "vocab_size": 9}')
    async with running_upstream(ONE_TOKEN) as upstream:
        hears = msgspec.structs.replace(config(upstream.url), model=str(tmp_path))
        with pytest.raises(ModelNotSupported, match="leave out --engine and"):
            await RemoteEngine.start(hears)


async def test_the_adapters_of_the_start_are_those_that_the_servers_list() -> None:
    async with running_upstream(ONE_TOKEN) as one, running_upstream(ONE_TOKEN) as other:
        for upstream, name in ((one, "poet"), (other, "clerk")):
            upstream.models = [*upstream.models, {"id": name, "parent": "m", "max_model_len": None}]
        async with started(config(one.url, other.url)) as engine:
            assert engine.adapters.names == ("clerk", "poet")


@pytest.mark.parametrize("has_priorities", [False, True])
async def test_priorities_of_vllm_are_as_the_operator_says(has_priorities: bool) -> None:
    async with (
        running_upstream(ONE_TOKEN) as upstream,
        started(config(upstream.url, priorities=has_priorities)) as engine,
    ):
        assert engine.capabilities.priority == has_priorities


@pytest.mark.parametrize("orders", [(True, True), (True, False), (None, True)])
async def test_servers_that_order_priorities_otherwise_have_none_together(
    orders: tuple[bool | None, ...],
) -> None:
    reply = answers(sglang.answer([5], "length"))
    async with running_upstream(reply) as one, running_upstream(reply) as other:
        for upstream, is_lowest_first in zip((one, other), orders, strict=True):
            upstream.server_info["enable_priority_scheduling"] = is_lowest_first is not None
            upstream.server_info["schedule_low_priority_values_first"] = bool(is_lowest_first)
        async with started(config(one.url, other.url, api="sglang")) as engine:
            assert engine.capabilities.priority == (len(set(orders)) == 1)


async def test_named_log_probabilities_need_a_server_that_keeps_the_others_right() -> None:
    """vLLM's first model runner refuses the trial; the second answers it."""
    scored = answers({"choices": [], "usage": {}, "prompt_token_id_logprobs": "AAAAAA=="})
    for reply, is_there in ((scored, True), (refuses(400, "requires the V2 model runner"), False)):
        async with running_upstream(ONE_TOKEN, reply) as upstream, started(config(upstream.url)) as engine:
            assert engine.capabilities.logprob_token_ids == is_there
