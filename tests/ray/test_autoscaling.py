"""Autoscaling on Ray Serve: load starts a second replica, its end stops one, and streams do not notice."""

import asyncio
import time
from itertools import cycle, islice
from pathlib import Path

import httpx
import pytest
import yaml

from tests.ray.cluster import Cluster, cluster, is_up, url_of, wait_until
from tests.ray.streams import LONG, Ended, read

pytestmark = pytest.mark.timeout(900)

NUM_TOKENS = 200
NUM_CLIENTS = 20
# Those that go on while a replica stops: fewer than one replica is meant to run.
NUM_LASTING = 2
TARGET = 4
# By default Ray waits for half a minute before it starts a replica, and for ten before it stops one.
DELAYS = {"upscale_delay_s": 2, "downscale_delay_s": 5, "metrics_interval_s": 1, "look_back_period_s": 3}


def deployed(ray: Cluster, config: Path) -> str:
    """Deploy an application that scales from one replica to two; return its URL once one runs."""
    options = ("--max-replicas", "2", "--target-ongoing-requests", str(TARGET))
    ray.write_config(config, *options, "--graceful-termination-timeout", "60")
    document = yaml.safe_load(config.read_text(encoding="utf-8"))
    document["applications"][0]["deployments"][0]["autoscaling_config"] |= DELAYS
    config.write_text(yaml.safe_dump(document), encoding="utf-8")
    ray.deploy(config)
    wait_until(lambda: ray.is_running(1))
    url = url_of(config)
    wait_until(lambda: is_up(url))
    return url


async def keep_reading(client: httpx.AsyncClient, name: str, is_over: asyncio.Event) -> list[Ended]:
    """Read one stream after another until it is over; return how they ended."""
    ended = list[Ended]()
    while not is_over.is_set():
        ended.append(await read(client, name, NUM_TOKENS, time.monotonic, lambda: None))
    return ended


async def test_replicas_follow_the_load_and_every_stream_is_whole(tmp_path: Path) -> None:
    with cluster(num_cpus=2) as ray:
        url = await asyncio.to_thread(deployed, ray, tmp_path / "verbatim.yaml")
        [first] = ray.running().values()
        limits = httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(base_url=url, timeout=300, limits=limits) as client:
            is_calm, is_over = asyncio.Event(), asyncio.Event()
            began = time.monotonic()
            readers = [
                asyncio.create_task(keep_reading(client, name, is_over if number < NUM_LASTING else is_calm))
                for number, name in enumerate(islice(cycle(LONG), NUM_CLIENTS))
            ]
            await asyncio.to_thread(wait_until, lambda: len(ray.running()) == 2)
            grown = time.monotonic()
            await asyncio.sleep(10)  # both replicas have streams
            is_calm.set()
            relieved = time.monotonic()
            calm = [each for reader in readers[NUM_LASTING:] for each in await reader]
            calmed = time.monotonic()
            await asyncio.to_thread(wait_until, lambda: ray.is_running(1))
            shrunk = time.monotonic()
            is_over.set()
            lasting = [each for reader in readers[:NUM_LASTING] for each in await reader]
        ended = calm + lasting
        assert all(each.is_whole for each in ended), [each for each in ended if not each.is_whole]
        # On a busy machine a replica may be gone before the last stream of the load has ended.
        assert any(relieved < each.at <= shrunk for each in lasting), "streams ran while a replica stopped"
        print(
            f"{len(ended)} streams whole; 2 replicas after {grown - began:.1f} s of load, "
            f"1 replica {shrunk - calmed:.1f} s after it; the first one's process was {first}, "
            f"and is {list(ray.running().values())}"
        )
