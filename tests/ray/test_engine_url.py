"""Replicas on Ray Serve that are fronts over a server of tokens, which none of them has started."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.clients.test_same_text import MODEL, answers, continuations
from tests.conftest import LIMITS, Server, running_server
from tests.ray.cluster import Cluster, cluster, is_up, url_of, wait_until
from tests.ray.streams import LONG, read
from tests.support.servers.ports import free_ports

pytestmark = pytest.mark.timeout(600)

NUM_REPLICAS = 2
NUM_TOKENS = 200


@pytest.fixture(scope="module")
def port() -> int:
    """The port of the server of tokens, whichever process serves there."""
    [found] = free_ports(1)
    return found


@pytest.fixture(scope="module")
def server(port: int) -> Iterator[Server]:
    with running_server(*LIMITS, "--port", str(port)) as found:
        yield found


@pytest.fixture(scope="module")
def ray() -> Iterator[Cluster]:
    with cluster(num_cpus=NUM_REPLICAS) as found:
        yield found


@pytest.fixture(scope="module")
def url(ray: Cluster, server: Server, tmp_path_factory: pytest.TempPathFactory) -> str:
    config = tmp_path_factory.mktemp("config") / "verbatim.yaml"
    ray.write_config(config, "--replicas", str(NUM_REPLICAS), "--engine-url", server.url)
    ray.deploy(config)
    wait_until(lambda: ray.is_running(NUM_REPLICAS))
    found = url_of(config)
    wait_until(lambda: is_up(found))
    return found


def test_every_contract_answers_with_the_servers_own_text(server: Server, url: str) -> None:
    for asked in (continuations, answers):
        assert asked(url) == asked(server.url)


def test_the_replicas_load_no_torch(ray: Cluster, url: str) -> None:
    for pid in ray.running().values():
        assert b"libtorch" not in Path(f"/proc/{pid}/maps").read_bytes()


@pytest.mark.parametrize("name", LONG)
async def test_a_stream_comes_piece_by_piece_and_whole(url: str, name: str) -> None:
    pieces = list[float]()
    async with httpx.AsyncClient(base_url=url, timeout=300) as client:
        ended = await read(client, name, NUM_TOKENS, time.monotonic, lambda: pieces.append(time.monotonic()))
    assert ended.is_whole, ended
    assert len(pieces) > 2 and pieces[-1] > pieces[0]


async def test_replicas_outlive_the_server_and_answer_over_the_next(
    ray: Cluster, server: Server, url: str, port: int
) -> None:
    """It is not theirs to replace, so they stay, and say by `/health` that they have none."""
    before = ray.running()
    begun = [asyncio.Event() for _ in LONG]
    async with httpx.AsyncClient(base_url=url, timeout=300) as client:
        streams = [
            asyncio.create_task(read(client, name, NUM_TOKENS, time.monotonic, event.set))
            for name, event in zip(LONG, begun, strict=True)
        ]
        await asyncio.gather(*(event.wait() for event in begun))
        killed_at = time.monotonic()
        server.process.kill()
        ended = await asyncio.gather(*streams)
        assert all(each.is_sound for each in ended), [each for each in ended if not each.is_sound]
        errors = [each for each in ended if each.is_error]
        assert errors
        assert max(each.at - killed_at for each in errors) < 5
        body = {"model": MODEL, "prompt": "Hi", "max_tokens": 2}
        refused = await client.post("/v1/completions", json=body)
        assert refused.status_code == 429 and "retry-after" in refused.headers
        await asyncio.to_thread(wait_until, lambda: not is_up(url), 60)
    with running_server(*LIMITS, "--port", str(port)) as again:
        await asyncio.to_thread(wait_until, lambda: is_up(url), 60)
        assert await asyncio.to_thread(answers, url) == await asyncio.to_thread(answers, again.url)
    assert ray.running() == before
