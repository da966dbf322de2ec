"""Replicas on Ray Serve: the contracts through its proxies, a killed replica, a rolling update.

`make test-ray` installs Ray into .venv-ray and runs these; RAY_BIN names another folder of commands.
"""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from tests.clients.test_same_text import answers, continuations
from tests.ray.cluster import Cluster, cluster, is_up, url_of, wait_until
from tests.ray.streams import LONG, MODEL, Ended, read

pytestmark = pytest.mark.timeout(600)

NUM_REPLICAS = 2
# A third core is for the application of the last test.
NUM_CPUS = 3
NUM_TOKENS = 200
GRACE_S = 40


@pytest.fixture(scope="module")
def ray_cluster() -> Iterator[Cluster]:
    with cluster(num_cpus=NUM_CPUS) as found:
        yield found


@pytest.fixture(scope="module")
def config(ray_cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A configuration that the command has printed."""
    path = tmp_path_factory.mktemp("config") / "verbatim.yaml"
    grace = ("--graceful-termination-timeout", str(GRACE_S))
    ray_cluster.write_config(path, "--replicas", str(NUM_REPLICAS), *grace)
    return path


@pytest.fixture(scope="module")
def url(ray_cluster: Cluster, config: Path) -> str:
    """The URL of the deployed application."""
    ray_cluster.deploy(config)
    wait_until(lambda: ray_cluster.is_running(NUM_REPLICAS))
    found = url_of(config)
    wait_until(lambda: is_up(found))
    return found


@pytest.fixture
async def client(url: str) -> AsyncIterator[httpx.AsyncClient]:
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=url, timeout=300, limits=limits) as found:
        yield found


@pytest.mark.parametrize("asked", [continuations, answers])
def test_every_contract_answers_with_the_same_text(url: str, asked: Callable[[str], dict[str, str]]) -> None:
    texts = asked(url)
    assert len({*texts.values()}) == 1 and all(texts.values()), texts


@pytest.mark.parametrize("name", LONG)
async def test_a_stream_comes_piece_by_piece_and_whole(client: httpx.AsyncClient, name: str) -> None:
    pieces = list[float]()
    ended = await read(client, name, NUM_TOKENS, time.monotonic, lambda: pieces.append(time.monotonic()))
    assert ended.is_whole, ended
    assert len(pieces) > 2 and pieces[-1] > pieces[0]


async def test_errors_are_the_contracts(client: httpx.AsyncClient) -> None:
    unknown = await client.get("/v1/nothing")
    assert unknown.status_code == 404 and unknown.json()["error"]["code"] == "unknown_url"
    invalid = await client.post("/tgi/generate", json={"inputs": "a", "parameters": {"top_p": 3}})
    assert invalid.status_code == 422 and "top_p" in invalid.json()["error"]
    json = {"content-type": "application/json"}
    large = await client.post("/v1/completions", content=b" " * 2_100_000, headers=json)
    assert large.status_code in (400, 413) and "2000000 bytes" in large.json()["error"]["message"]


async def test_the_identifier_of_a_request_is_sent_once(client: httpx.AsyncClient) -> None:
    body = {"model": MODEL, "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 2}
    given = await client.post("/v1/chat/completions", json=body, headers={"x-request-id": "mine"})
    assert given.headers.get_list("x-request-id") == ["mine"]
    new = await client.post("/v1/chat/completions", json=body)
    assert len(new.headers.get_list("x-request-id")) == 1


async def test_a_client_that_leaves_ends_its_request(client: httpx.AsyncClient) -> None:
    long = LONG["openai"]
    async with client.stream("POST", long.path, json=long.body(1500)) as answer:
        await anext(aiter(answer.aiter_bytes()))
    aborted = list[float]()
    ends_at = time.monotonic() + 5
    while not sum(aborted) and time.monotonic() < ends_at:
        aborted = _samples((await client.get("/metrics")).text, 'finished_reason="abort"')
    assert sorted(aborted) == [0, 1], "of each replica"


def _samples(text: str, label: str) -> list[float]:
    lines = [line for line in text.splitlines() if label in line and not line.startswith("#")]
    return [float(line.rpartition(" ")[2]) for line in lines]


async def test_streams_of_a_killed_replica_end_with_their_contracts_error(
    ray_cluster: Cluster, client: httpx.AsyncClient
) -> None:
    names = list(islice(cycle(LONG), 50))
    begun = [asyncio.Event() for _ in names]
    streams = [
        asyncio.create_task(read(client, name, NUM_TOKENS, time.monotonic, event.set))
        for name, event in zip(names, begun, strict=True)
    ]
    await asyncio.gather(*(event.wait() for event in begun))
    killed_at = time.monotonic()
    os.kill(min(ray_cluster.running().values()), signal.SIGKILL)
    ended = await asyncio.gather(*streams)
    assert all(each.is_sound for each in ended), [each for each in ended if not each.is_sound]
    errors = [each for each in ended if each.is_error]
    assert errors and len(errors) < len(ended), "some ran on the replica, and some on the other"
    assert max(each.at - killed_at for each in errors) < 5
    body = {"model": MODEL, "prompt": "Hi", "max_tokens": 2}
    assert (await client.post("/v1/completions", json=body)).status_code == 200
    wait_until(lambda: ray_cluster.is_running(NUM_REPLICAS))


async def test_a_rolling_update_loses_no_stream(
    ray_cluster: Cluster, config: Path, client: httpx.AsyncClient
) -> None:
    before = set(ray_cluster.running().values())
    is_over = asyncio.Event()

    async def keep_reading(name: str) -> list[Ended]:
        ended = list[Ended]()
        while not is_over.is_set():
            ended.append(await read(client, name, NUM_TOKENS, time.monotonic, lambda: None))
        return ended

    readers = [asyncio.create_task(keep_reading(name)) for name in islice(cycle(LONG), 20)]
    changed = yaml.safe_load(config.read_text(encoding="utf-8"))
    changed["applications"][0]["args"]["model_alias"] = ["updated"]
    new = config.with_name("updated.yaml")
    new.write_text(yaml.safe_dump(changed), encoding="utf-8")
    await asyncio.to_thread(ray_cluster.deploy, new)
    await asyncio.to_thread(wait_until, lambda: _is_new(ray_cluster, before))
    is_over.set()
    ended = [each for reader in await asyncio.gather(*readers) for each in reader]
    assert all(each.is_whole for each in ended), [each for each in ended if not each.is_whole]
    body = {"model": "updated", "prompt": "Hi", "max_tokens": 2}
    assert (await client.post("/v1/completions", json=body)).status_code == 200


def _is_new(ray_cluster: Cluster, before: set[int]) -> bool:
    running = ray_cluster.running().values()
    return ray_cluster.is_running(NUM_REPLICAS) and before.isdisjoint(running)


def test_the_command_deploys_on_a_cluster_and_deletes_what_it_deployed(
    ray_cluster: Cluster, url: str
) -> None:
    own = ("--application", "second", "--route-prefix", "/second", "--port", url.rpartition(":")[2])
    options = ("--ray-address", ray_cluster.gcs, "--graceful-termination-timeout", "5")
    with ray_cluster.verbatim("ray", *own, *options) as process:
        try:
            assert process.stdout is not None
            lines = list[str]()
            while "ready at" not in (line := process.stdout.readline()):
                assert line, lines
                lines.append(line)
            assert line.split()[-1] == f"{url}/second"
            body: dict[str, Any] = {"model": MODEL, "prompt": "Hi", "max_tokens": 2}
            assert httpx.post(f"{url}/second/v1/completions", json=body, timeout=60).status_code == 200
            assert httpx.post(f"{url}/v1/completions", json=body, timeout=60).status_code == 200
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=120) == 0
    assert httpx.get(f"{url}/second/health", timeout=60).status_code == 404
