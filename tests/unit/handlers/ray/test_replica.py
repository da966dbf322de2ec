"""A replica without Ray: its health, its end, its threads, and the identifier of a request."""

import asyncio
import os

import pytest
from starlette.types import ASGIApp

from engine.port.errors import EngineDied
from engine.port.info.stats import Health
from handlers.engine_starter import StartEngine
from handlers.process.exit_status import ExitStatus
from handlers.ray import replica
from handlers.ray.replica import Replica, with_threads
from handlers.ray.replica_app import Scrape
from handlers.settings.settings import Settings
from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.verbatim_kit.runtime.client import send

Started = tuple[Replica, ASGIApp]
CHAT = {"model": "verbatim-demo", "messages": [{"role": "user", "content": "Hi"}]}


class Alone:
    """The context of a replica that has one sibling."""

    def num_cpus(self) -> float:
        return 1.0

    def name(self) -> str:
        return "a"

    async def ask_all(self, scrape: Scrape) -> dict[str, str]:
        return {"b": "# HELP tgi_request_count Requests\ntgi_request_count 7.0\n"}


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine(says("Hello"))


@pytest.fixture
async def started(engine: ScriptedEngine, monkeypatch: pytest.MonkeyPatch) -> Started:
    def starter(settings: Settings) -> StartEngine:
        async def start(on_progress: object) -> ScriptedEngine:
            return engine

        return start

    monkeypatch.setattr(replica, "engine_starter", starter)
    monkeypatch.setattr(replica, "set_environment", lambda settings: None)
    monkeypatch.setattr("handlers.process.gc_tuning.freeze_start_up", lambda: None)
    monkeypatch.setattr(replica, "ReplicaContext", Alone)
    found = Replica({"host": "0.0.0.0"})
    return found, await found.__serve_build_asgi_app__()


async def test_the_application_of_the_settings_is_served(started: Started, engine: ScriptedEngine) -> None:
    response = await send(started[1], "POST", "/v1/chat/completions", json=CHAT)
    assert response.json()["choices"][0]["message"]["content"] == "Hello"
    assert len(engine.requests) == 1


async def test_a_replica_is_healthy_while_its_engine_lives(started: Started, engine: ScriptedEngine) -> None:
    await started[0].check_health()
    engine.condition = Health(False, "no server answers")
    await started[0].check_health()
    engine.condition = Health(False, "dead", is_alive=False)
    with pytest.raises(EngineDied):
        await started[0].check_health()


async def test_the_process_ends_with_its_engine(
    started: Started, engine: ScriptedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    monkeypatch.setattr(replica, "_FLUSH_S", 0.0)
    monkeypatch.setattr(replica, "end_now", ended.set_result)
    engine.died.set()
    assert await ended == ExitStatus.ENGINE_DIED


async def test_the_identifier_that_the_proxy_adds_to_the_answer_is_not_there_twice(started: Started) -> None:
    app = started[1]
    of_proxy = await send(app, "POST", "/v1/chat/completions", json=CHAT, headers={"x-request-id": "abc"})
    assert "x-request-id" not in of_proxy.headers
    unfit = await send(app, "POST", "/v1/chat/completions", json=CHAT, headers={"x-request-id": "a, b"})
    assert unfit.headers["x-request-id"].startswith("req_")


def test_a_replica_computes_with_as_many_threads_as_it_has_cores() -> None:
    there = os.cpu_count() or 1
    assert with_threads(Settings(), 1.0).num_threads == 1
    assert with_threads(Settings(), 0.5).num_threads == 1
    assert with_threads(Settings(), there + 7.0).num_threads == there
    assert with_threads(Settings(num_threads=1), 2.0).num_threads == 1
    assert with_threads(Settings(), None).num_threads is None


@pytest.mark.parametrize("path", ["/metrics", "/tgi/metrics", "/hf/metrics"])
async def test_metrics_are_those_of_all_replicas(started: Started, path: str) -> None:
    response = await send(started[1], "GET", path)
    assert response.headers["content-type"].startswith("text/plain")
    assert response.text == '# HELP tgi_request_count Requests\ntgi_request_count{replica="b"} 7.0\n'


async def test_a_replica_gives_its_own_metrics_to_others(started: Started) -> None:
    name, text = await started[0].own_metrics(Scrape("/metrics", [(b"host", b"a")], None))
    assert name == "a" and text is not None and "\ntgi_request_count 0.0\n" in text
