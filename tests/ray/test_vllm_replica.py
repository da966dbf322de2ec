"""A replica on Ray Serve that is a front with a vLLM server of its own, started by its `--engine-command`.

`make test-ray-vllm` installs Ray and vLLM, and runs this.
"""

import asyncio
import os
import shlex
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from engine.demo_model import DEMO_MODEL
from tests.clients.test_same_text import MODEL, answers, continuations
from tests.ray.cluster import Cluster, cluster, is_up, url_of, wait_until
from tests.ray.streams import read
from tests.support.servers.processes import children, is_alive

pytestmark = [
    pytest.mark.timeout(1800),
    pytest.mark.skipif("VLLM" not in os.environ, reason="vLLM is not installed: make test-ray-vllm"),
]

# vLLM takes a minute and a half to start on two cores that it has alone.
START_S = 600


def command() -> str:
    """Return the command of a server that computes in float32, as our own engine does in these tests."""
    options = (
        "--served-model-name",
        MODEL,
        "--enable-scale-out",
        "--max-model-len",
        "2048",
        "--dtype",
        "float32",
    )
    return shlex.join((os.environ["VLLM"], "serve", str(DEMO_MODEL), "--port", "{port}", *options))


@pytest.fixture(scope="module")
def ray() -> Iterator[Cluster]:
    with pytest.MonkeyPatch.context() as environment:
        # Ray's processes inherit both. No configuration has the command, which may hold a key.
        environment.setenv("VLLM_CPU_KVCACHE_SPACE", "1")  # GiB
        environment.setenv("VERBATIM_ENGINE_COMMAND", command())
        with cluster(num_cpus=2) as found:
            yield found


@pytest.fixture(scope="module")
def url(ray: Cluster, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The URL of an application of one replica, which reserves both cores of the cluster."""
    config = tmp_path_factory.mktemp("config") / "verbatim.yaml"
    engine = ("--engine", "vllm", "--engine-start-timeout", str(START_S))
    ray.write_config(config, "--replica-cpus", "2", *engine)
    ray.deploy(config)
    wait_until(lambda: ray.is_running(1), START_S)
    found = url_of(config)
    wait_until(lambda: is_up(found))
    return found


def server_of(replica: int) -> int:
    """Return the process of the one server that a replica has started, below its guard."""
    [guard] = [
        each for each in children(replica) if b"guard.py" in Path(f"/proc/{each}/cmdline").read_bytes()
    ]
    [server] = children(guard)
    return server


def test_every_contract_answers_over_the_replicas_own_vllm(ray: Cluster, url: str) -> None:
    [replica] = ray.running().values()
    assert b"vllm" in Path(f"/proc/{server_of(replica)}/cmdline").read_bytes()
    for asked in (continuations, answers):
        texts = asked(url)
        assert len({*texts.values()}) == 1 and all(texts.values()), texts


@pytest.mark.parametrize("name", ["openai", "triton"])
async def test_a_stream_comes_piece_by_piece_and_whole(url: str, name: str) -> None:
    pieces = list[float]()
    async with httpx.AsyncClient(base_url=url, timeout=300) as client:
        ended = await read(client, name, 200, time.monotonic, lambda: pieces.append(time.monotonic()))
    assert ended.is_whole, ended
    assert len(pieces) > 2 and pieces[-1] > pieces[0]


async def test_a_replica_whose_vllm_is_killed_is_replaced_with_it(ray: Cluster, url: str) -> None:
    [(name, replica)] = ray.running().items()
    server = server_of(replica)
    has_begun = asyncio.Event()
    async with httpx.AsyncClient(base_url=url, timeout=300) as client:
        stream = asyncio.create_task(read(client, "openai", 1500, time.monotonic, has_begun.set))
        await has_begun.wait()
        killed_at = time.monotonic()
        os.kill(server, signal.SIGKILL)
        ended = await stream
    assert ended.is_error, ended
    assert ended.at - killed_at < 5
    await asyncio.to_thread(wait_until, lambda: name not in ray.running(), 60)
    await asyncio.to_thread(wait_until, lambda: ray.is_running(1), START_S)
    assert not is_alive(replica)
    texts = await asyncio.to_thread(answers, url)
    assert all(texts.values()), texts
