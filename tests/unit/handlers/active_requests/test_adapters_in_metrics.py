"""A gateway that scrapes the server sees which adapters its requests have."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from engine.async_engine import AsyncEngine
from engine.config import AdapterLimits, AdapterSource, EngineConfig
from engine.demo_model import DEMO_MODEL
from engine.port.request import GenerationRequest, SamplingParams, StopConditions
from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.clocks.until import until
from tests.support.engine_requests import generation_request
from tests.support.tiny_models.adapter_files import DEMO_LAYER, save_adapter_of_ones
from tests.unit.verbatim_kit.runtime.client import send

NAMES = ("poet", "clerk")


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[AsyncEngine]:
    """Run one sequence at a time."""
    for name in NAMES:
        save_adapter_of_ones(tmp_path / name, DEMO_LAYER)
    config = EngineConfig(
        model=str(DEMO_MODEL),
        num_kv_blocks=256,
        max_num_sequences=1,
        adapters=tuple(AdapterSource(name, str(tmp_path / name)) for name in NAMES),
        adapter_limits=AdapterLimits(max_in_memory=5),
    )
    engine = await AsyncEngine.start(config)
    yield engine
    await engine.stop()


def request(adapter: str) -> GenerationRequest:
    return generation_request(
        request_id=adapter,
        token_ids=[1, 2, 3],
        sampling=SamplingParams(temperature=0.0),
        stopping=StopConditions(max_tokens=2000, ignore_eos=True),
        adapter=adapter,
    )


async def scrape(engine: AsyncEngine) -> tuple[dict[str, str], float]:
    """Return the labels and the value of the one series that says which adapters are in use."""
    text = (await send(build_app(Settings(), engine), "GET", "/metrics")).text
    [family] = [
        each for each in text_string_to_metric_families(text) if each.name == "vllm:lora_requests_info"
    ]
    assert family.type == "gauge"
    [sample] = family.samples
    return sample.labels, sample.value


def labels(running: str = "", waiting: str = "") -> dict[str, str]:
    return {"max_lora": "5", "running_lora_adapters": running, "waiting_lora_adapters": waiting}


async def test_a_scrape_names_the_adapters_of_running_and_of_waiting_requests(engine: AsyncEngine) -> None:
    seen, began_at = await scrape(engine)
    assert seen == labels()
    assert 0 <= time.time() - began_at < 60

    first = engine.submit(request("poet"))
    await anext(first)
    seen, first_at = await scrape(engine)
    assert seen == labels(running="poet") and first_at > began_at
    assert await scrape(engine) == (seen, first_at)  # the time is that of the last change

    second = engine.submit(request("clerk"))
    its_start = asyncio.create_task(anext(second))
    await until(lambda: engine.stats().num_waiting)
    seen, second_at = await scrape(engine)
    assert seen == labels(running="poet", waiting="clerk") and second_at >= first_at

    await first.aclose()
    await its_start
    assert (await scrape(engine))[0] == labels(running="clerk")
    await second.aclose()
    await until(lambda: not engine.stats().num_running)
    assert (await scrape(engine))[0] == labels()
