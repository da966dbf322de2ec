"""The tests of a front over any real token server with adapters, priorities and counts of cached tokens.

They ask for the fixtures `both`, the engines, whose own has the adapter `poet` too; `server`, the URL of a
server that computes two sequences at once; and `adapters`, the folder of the adapters `poet` and `clerk`, of
which the server has the first one.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any, ClassVar, Final

import httpx
import pytest

from engine.config import AdapterSource
from engine.demo_model import DEMO_MODEL
from engine.port.engine import Engine
from engine.port.errors import UnknownAdapter
from engine.port.events import TokenEvent
from engine.port.request import GenerationRequest, SamplingParams, StopConditions
from engine.remote.config import RemoteConfig
from engine.remote.remote_engine import RemoteEngine
from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.engine_requests import generation_request
from tests.support.tiny_models.lora import save_adapter
from tests.support.token_servers.fronts import new_recording
from tests.support.token_servers.real_server import Engines
from tests.unit.verbatim_kit.runtime.client import send

GREEDY: Final = SamplingParams(temperature=0.0)


def save_adapters(folder: Path) -> Path:
    """Write two adapters of the embedded model, and return the folder."""
    for seed, name in enumerate(("poet", "clerk")):
        save_adapter(DEMO_MODEL, folder / name, seed=seed, r=8, lora_alpha=16)
    return folder


@asynccontextmanager
async def engines_with_adapter(
    api: str, server: str, adapters: Path, *, priorities: bool = False
) -> AsyncIterator[Engines]:
    """Yield both engines. priorities: whether the operator says that the server has them."""
    remote = await RemoteEngine.start(
        RemoteConfig(
            model=str(DEMO_MODEL), api=api, urls=(server,), start_timeout_s=800, priorities=priorities
        )
    )
    source = AdapterSource("poet", str(adapters / "poet"))
    own = await new_recording(max_total_tokens=None, adapters=(source,))
    yield Engines(own, remote)
    await own.stop()
    await remote.stop()


def new_request(
    engine: Engine, text: str, sampling: SamplingParams = GREEDY, *, max_tokens: int = 24, **fields: Any
) -> GenerationRequest:
    return generation_request(
        request_id=token_hex(8),
        token_ids=engine.tokenizer.encode(text),
        sampling=sampling,
        stopping=StopConditions(max_tokens=max_tokens, ignore_eos=True),
        **fields,
    )


async def events(engine: Engine, request: GenerationRequest) -> list[TokenEvent]:
    async with aclosing(engine.submit(request)) as found:
        return [each async for each in found]


async def tokens(engine: Engine, request: GenerationRequest) -> list[int]:
    return [each.token_id for each in await events(engine, request)]


async def order_of_ends(both: Engines, priorities: Sequence[int]) -> list[int]:
    """Return the order in which requests of these priorities end that arrive while both places are taken."""
    ended = list[int]()

    async def run(priority: int, max_tokens: int) -> None:
        request = new_request(both.own, "Hello", priority=priority, max_tokens=max_tokens)
        await tokens(both.over_server, request)
        if max_tokens < 100:
            ended.append(priority)

    long = [asyncio.create_task(run(0, 500 + 100 * place)) for place in range(2)]
    while both.over_server.stats().num_running < 2:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.2)
    short = list[asyncio.Task[None]]()
    for priority in priorities:
        short.append(asyncio.create_task(run(priority, 4)))
        await asyncio.sleep(0.1)
    await asyncio.gather(*long, *short)
    return ended


CONTRACTS: Final[Sequence[tuple[str, dict[str, Any]]]] = (
    (
        "/openai/v1/chat/completions",
        {
            "model": "poet",
            "messages": [{"role": "user", "content": "Hi"}],
            "max_tokens": 12,
            "temperature": 0,
        },
    ),
    ("/tgi/generate", {"inputs": "Hello", "parameters": {"adapter_id": "poet", "max_new_tokens": 12}}),
    (
        "/triton/v2/models/poet/generate",
        {"text_input": "Hello", "parameters": {"max_tokens": 8, "temperature": 0}},
    ),
    (
        "/anthropic/v1/messages",
        {
            "model": "poet",
            "messages": [{"role": "user", "content": "Hi"}],
            "max_tokens": 12,
            "temperature": 0,
        },
    ),
    ("/aleph_alpha/complete", {"model": "poet", "prompt": "Hello", "maximum_tokens": 6, "temperature": 0}),
)


@pytest.mark.timeout(900)
class SameOptions:
    """The tests of one kind of server.

    loads, unloads: the paths of its operations that load an adapter and forget it.
    block_size: the number of tokens in a block of its prefix cache.
    """

    loads: ClassVar[str]
    unloads: ClassVar[str]
    block_size: ClassVar[int]

    @pytest.mark.parametrize("text", ["Hello", "The capital of France is", "1 2 3 4"])
    async def test_an_adapter_gives_the_tokens_of_our_own_engine_with_it(
        self, both: Engines, text: str
    ) -> None:
        plain, adapted = (new_request(both.own, text, adapter=name) for name in (None, "poet"))
        expected = await tokens(both.own, adapted)
        assert await tokens(both.over_server, adapted) == expected
        assert await tokens(both.over_server, plain) == await tokens(both.own, plain) != expected

    async def test_requests_of_one_batch_have_each_its_own_adapter(self, both: Engines) -> None:
        asked = [new_request(both.own, "Hello", adapter=name) for name in (None, "poet")]
        alone = [await tokens(both.over_server, each) for each in asked]
        assert await asyncio.gather(*(tokens(both.over_server, each) for each in asked)) == alone

    @pytest.mark.parametrize(("path", "body"), CONTRACTS)
    async def test_contracts_name_an_adapter_as_over_our_own_engine(
        self, both: Engines, path: str, body: dict[str, Any]
    ) -> None:
        said = []
        for engine in both:
            app, headers = build_app(Settings(), engine), {"anthropic-version": "2023-06-01"}
            answer = await send(app, "POST", path, json=body, headers=headers)
            assert answer.status_code == 200, answer.text
            found = answer.json()
            said.append(
                found.get("generated_text")
                or found.get("text_output")
                or found.get("content")
                or found.get("completions")
                or [choice["message"]["content"] for choice in found["choices"]]
            )
        assert said[0] == said[1]

    async def test_adapters_of_the_server_come_and_go(
        self, both: Engines, server: str, adapters: Path
    ) -> None:
        app = build_app(Settings(), both.over_server)

        async def listed() -> list[str]:
            answer = await send(app, "GET", "/openai/v1/models")
            return [model["id"] for model in answer.json()["data"] if model["parent"] is not None]

        async def until_listed(*names: str) -> None:
            async with asyncio.timeout(60):
                while await listed() != list(names):
                    await asyncio.sleep(0.1)

        assert await listed() == ["poet"]
        request = new_request(both.own, "Hello", adapter="clerk")
        with pytest.raises(UnknownAdapter):
            await tokens(both.over_server, request)
        async with httpx.AsyncClient(base_url=server, timeout=60) as client:
            loaded = {"lora_name": "clerk", "lora_path": str(adapters / "clerk")}
            assert (await client.post(self.loads, json=loaded)).status_code == 200
            try:
                await until_listed("clerk", "poet")
                found = await tokens(both.over_server, request)
                assert found != await tokens(both.own, new_request(both.own, "Hello", adapter="poet"))
            finally:
                gone = await client.post(self.unloads, json={"lora_name": "clerk"})
                assert gone.status_code == 200
        await until_listed("poet")
        with pytest.raises(UnknownAdapter):
            await tokens(both.over_server, request)

    async def test_an_adapter_that_the_server_does_not_have_is_unknown(self, both: Engines) -> None:
        """So it is too until the list of adapters is read again, in streams and in whole answers."""
        known = both.over_server.adapters.names
        both.over_server._adapters.names = (*known, "ghost")
        upstream = both.over_server._servers[0].upstream
        listed, upstream.adapters = upstream.adapters, upstream.adapters | {"ghost"}
        try:
            for sampling in (GREEDY, SamplingParams(temperature=0.0, num_prompt_logprobs=0)):
                with pytest.raises(UnknownAdapter):
                    await tokens(both.over_server, new_request(both.own, "Hello", sampling, adapter="ghost"))
        finally:
            both.over_server._adapters.names, upstream.adapters = known, listed

    async def test_cached_tokens_are_counted(self, both: Engines) -> None:
        """A prompt is found again by the blocks that it fills, and not with another adapter or salt."""
        salt = token_hex(8)
        text = "The quick brown fox jumps over the lazy dog. " * 30

        async def num_cached(**fields: Any) -> int:
            request = new_request(both.own, text, max_tokens=3, **{"cache_salt": salt, **fields})
            return (await events(both.over_server, request))[-1].num_cached_tokens

        assert await num_cached() == 0
        num_tokens = len(both.own.tokenizer.encode(text))
        found = await num_cached()
        assert 0 < found < num_tokens and found % self.block_size == 0
        assert await num_cached(cache_salt=token_hex(8)) == 0
        assert await num_cached(adapter="poet") == 0
        assert await num_cached(num_sequences=2) == found

    async def test_contracts_report_cached_tokens(self, both: Engines) -> None:
        app = build_app(Settings(), both.over_server)
        body = {
            "model": "verbatim-demo",
            "messages": [{"role": "user", "content": token_hex(300)}],
            "max_tokens": 3,
            "temperature": 0,
        }

        async def num_cached() -> int:
            usage = (await send(app, "POST", "/openai/v1/chat/completions", json=body)).json()["usage"]
            found: int = usage["prompt_tokens_details"]["cached_tokens"]
            return found

        first = await num_cached()
        assert await num_cached() > first

    async def test_a_lower_priority_runs_first(self, both: Engines) -> None:
        assert await order_of_ends(both, (5, 0, -5)) == [-5, 0, 5]
