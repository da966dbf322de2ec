"""A front over SGLang servers with adapters, priorities of either order, and a prefix cache.

They stream in SGLang's own way: each event has all tokens of its sequence. With SGLANG_OPTIONS_URL the tests
ask a server that runs already, which must have been started as `server` starts it, with the adapters of
`adapters`.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import ClassVar, Final

import pytest
import pytest_asyncio
from msgspec.structs import replace

from engine.port.errors import EngineBusy
from engine.port.events import TokenEvent
from engine.port.request import Grammar, GrammarKind, Prompt, SamplingParams
from engine.remote.config import RemoteConfig
from engine.remote.remote_engine import RemoteEngine
from tests.sglang.conftest import serving
from tests.support.clocks.until import until
from tests.support.token_servers.real_server import Engines
from tests.support.token_servers.same_options import (
    SameOptions,
    engines_with_adapter,
    events,
    new_request,
    order_of_ends,
    save_adapters,
    tokens,
)

pytestmark = pytest.mark.timeout(900)

TOLERANCE: Final = 1e-3
# Two sequences at once, and four that wait.
PRIORITIES: Final = (
    *("--enable-priority-scheduling", "--max-running-requests", "2", "--max-queued-requests", "4"),
)


@pytest.fixture(scope="module")
def adapters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_adapters(tmp_path_factory.mktemp("adapters"))


@pytest.fixture(scope="module")
def server(adapters: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the URL of a server whose highest priorities run first."""
    if given := os.environ.get("SGLANG_OPTIONS_URL"):
        yield given
        return
    options = (
        *("--enable-lora", "--lora-paths", f"poet={adapters / 'poet'}", "--max-loras-per-batch", "3"),
        *("--lora-backend", "torch_native", "--grammar-backend", "xgrammar"),
    )
    with serving(tmp_path_factory.mktemp("sglang") / "log", *PRIORITIES, *options) as found:
        yield found


@pytest_asyncio.fixture(scope="module")
async def both(server: str, adapters: Path) -> AsyncIterator[Engines]:
    async with engines_with_adapter("sglang", server, adapters) as found:
        yield found


class TestSglang(SameOptions):
    loads: ClassVar[str] = "/load_lora_adapter"
    unloads: ClassVar[str] = "/unload_lora_adapter"
    block_size: ClassVar[int] = 1


async def test_an_adapter_goes_with_log_probabilities_and_grammars(both: Engines) -> None:
    sampling = SamplingParams(
        temperature=0.0,
        num_logprobs=2,
        num_prompt_logprobs=0,
        grammar=Grammar(GrammarKind.REGEX, "[a-c]{3}[0-9]"),
    )
    text = "The capital of France is"
    asked = new_request(both.own, text, sampling, adapter="poet")
    expected, found = await events(both.own, asked), await events(both.over_server, asked)
    assert "".join(each.text for each in found) == "".join(each.text for each in expected)
    assert prompt_of(found) == pytest.approx(prompt_of(expected), abs=TOLERANCE)
    plain = await events(both.own, new_request(both.own, text, sampling))
    assert prompt_of(found) != pytest.approx(prompt_of(plain), abs=TOLERANCE)


def prompt_of(found: list[TokenEvent]) -> list[float]:
    assert found[0].prompt is not None
    return [place.logprob for place in found[0].prompt if place.logprob is not None]


async def test_a_request_far_before_another_takes_its_place_and_spoils_nothing(both: Engines) -> None:
    """SGLang stops a sequence for one that is more than ten levels before it, and begins it again later."""
    ended = list[str]()
    alone = await tokens(both.over_server, new_request(both.own, "Hello", max_tokens=400))

    async def run(name: str, priority: int, max_tokens: int) -> list[int]:
        asked = new_request(both.own, "Hello", priority=priority, max_tokens=max_tokens)
        found = await tokens(both.over_server, asked)
        ended.append(name)
        return found

    long = [asyncio.create_task(run("long", 0, 400)) for _ in range(2)]
    await until(lambda: both.over_server.stats().num_running == 2)
    await asyncio.sleep(0.2)
    await run("first", -20, 4)
    assert ended == ["first"]
    assert [await each for each in long] == [alone, alone]


async def test_a_full_queue_takes_a_lower_priority_in_the_place_of_a_higher(both: Engines) -> None:
    long = [
        asyncio.create_task(tokens(both.over_server, new_request(both.own, "Hello", max_tokens=500)))
        for _ in range(2)
    ]
    await until(lambda: both.over_server.stats().num_running == 2)
    await asyncio.sleep(0.2)
    waiting = list[asyncio.Task[list[int]]]()
    for priority in (1, 1, 1, 2):
        asked = new_request(both.own, "Hello", priority=priority, max_tokens=4)
        waiting.append(asyncio.create_task(tokens(both.over_server, asked)))
        await asyncio.sleep(0.1)
    with pytest.raises(EngineBusy):
        await tokens(both.over_server, new_request(both.own, "Hello", priority=2, max_tokens=4))
    assert len(await tokens(both.over_server, new_request(both.own, "Hello", priority=-1, max_tokens=4))) == 4
    *kept, gone = await asyncio.gather(*waiting, return_exceptions=True)
    assert isinstance(gone, EngineBusy)
    assert [len(each) for each in (*kept, *await asyncio.gather(*long)) if isinstance(each, list)] == [
        *(4, 4, 4),
        *(500, 500),
    ]


async def test_a_repetition_penalty_counts_the_output_alone(both: Engines) -> None:
    """If this fails, SGLang counts the prompt's tokens too, as others do: docs/sglang.md says otherwise."""
    prompt = list(both.own.tokenizer.encode("1 2 3 4"))
    for token_id in await tokens(both.own, new_request(both.own, "1 2 3 4", max_tokens=60)):
        asked = replace(
            new_request(both.own, "", SamplingParams(temperature=0.0, repetition_penalty=2.0), max_tokens=1),
            prompt=Prompt(tuple(prompt)),
        )
        if token_id in prompt and await tokens(both.own, asked) != [token_id]:
            break
        prompt.append(token_id)
    else:
        pytest.fail("no token of the prompt would have come")
    assert await tokens(both.over_server, asked) == [token_id]


async def test_the_order_of_priorities_is_read_of_the_server(both: Engines, tmp_path: Path) -> None:
    """Here the lowest run first, as in all contracts; over the other server the number's sign is changed."""
    options = (*PRIORITIES, "--schedule-low-priority-values-first")
    with serving(tmp_path / "log", *options) as url:
        lowest_first = await RemoteEngine.start(
            RemoteConfig(model=both.own.model_info.model_id, api="sglang", urls=(url,), start_timeout_s=800)
        )
        try:
            assert await order_of_ends(Engines(both.own, lowest_first), (5, 0, -5)) == [-5, 0, 5]
        finally:
            await lowest_first.stop()
