"""Fronts over servers that speak each token API over one engine of ours, for tests that ask by URL.

All of them run in a thread of the tests' own process, so that neither another process nor a second model is
started for each kind.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import ExitStack, aclosing, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from anyio.from_thread import BlockingPortal, start_blocking_portal
from typing_extensions import override

from engine.async_engine import AsyncEngine
from engine.config import AdapterSource, EngineConfig
from engine.demo_model import DEMO_MODEL
from engine.port.engine import Engine
from engine.port.events import Embedding, TokenEvent
from engine.port.info.capabilities import Capabilities
from engine.port.request import EmbeddingRequest, GenerationRequest
from engine.remote.client.upstream import Upstream
from engine.remote.config import RemoteConfig
from engine.remote.remote_engine import RemoteEngine
from engine.remote.wire.apis import APIS
from engine.remote.wire.token_api import ApiFacts, PriorityOrder, TokenApi
from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.scripted.token_server import Reply, running_upstream
from tests.support.servers.running_app import running_app
from tests.support.token_servers import emulated_sglang as sglang
from tests.support.token_servers import emulated_vllm as vllm

# By kind, what answers by a token API that is not ours; "verbatim" is the contract `tokens` itself.
_REPLIES: Final[dict[str, Callable[[Engine], Reply]]] = {
    "vllm": vllm.computes,
    "sglang": sglang.computes,
    "sglang, incremental": lambda engine: sglang.computes(engine, is_incremental=True),
}

KINDS: Final = (*_REPLIES, "verbatim")
"""The kinds of servers: the API's name, and a variety of it after a comma."""

WITH_OPTIONS: Final = "vllm, options"
"""vLLM as it is started with what it has for requests that ask for more."""

_OPTIONS: Final = ApiFacts(
    priorities=PriorityOrder.LOWEST_FIRST, lists_named_logprobs=True, bounds_thoughts=True
)

MAX_TOTAL_TOKENS: Final = 512
NAME: Final = "verbatim-demo"


@asynccontextmanager
async def upstream_of(kind: str, engine: Engine) -> AsyncIterator[str]:
    """Serve an engine by a token API, as the embedded model, and yield the URL."""
    if kind == "verbatim":
        async with running_app(build_app(Settings(), engine)) as url:
            yield url
        return
    has_options = kind == WITH_OPTIONS
    reply = vllm.computes(engine, has_options=True) if has_options else _REPLIES[kind](engine)
    async with running_upstream(reply) as upstream:
        upstream.models = [{"id": NAME, "max_model_len": engine.model_info.max_total_tokens}]
        yield upstream.url


@asynccontextmanager
async def engine_over(kind: str, engine: Engine) -> AsyncIterator[RemoteEngine]:
    """Yield an engine over a server of a kind, which computes by this one; both have one tokenizer."""
    async with upstream_of(kind, engine) as url:
        upstream = Upstream(url, api_key=None, timeout_s=60)
        remote = RemoteEngine(api_of(kind), [upstream], NAME, engine.tokenizer, engine.model_info)
        try:
            yield remote
        finally:
            await remote.stop()


def api_of(kind: str) -> TokenApi:
    api = APIS[kind.partition(",")[0]]
    return api.fitted(_OPTIONS) if kind == WITH_OPTIONS else api


class Recording(AsyncEngine):
    """An engine that keeps the requests that it gets, until they are taken."""

    requests: list[GenerationRequest | EmbeddingRequest]

    @override
    async def submit(
        self, request: GenerationRequest, on_end: Callable[[int], object] | None = None
    ) -> AsyncGenerator[TokenEvent, None]:
        self.requests.append(request)
        async with aclosing(super().submit(request, on_end)) as events:
            async for event in events:
                yield event

    @override
    async def embed(self, request: EmbeddingRequest) -> Embedding:
        self.requests.append(request)
        return await super().embed(request)


async def new_recording(
    model: Path = DEMO_MODEL,
    *,
    max_total_tokens: int | None = MAX_TOTAL_TOKENS,
    adapters: tuple[AdapterSource, ...] = (),
) -> Recording:
    """Start an engine of the embedded model, or of a copy of it, in float32.

    It has no prefix cache, since vLLM and SGLang report no cached tokens to a front.
    """
    config = EngineConfig(
        model=str(model),
        dtype="float32",
        num_kv_blocks=1024,
        prefix_caching=False,
        max_total_tokens=max_total_tokens,
        adapters=adapters,
    )
    engine = await Recording.start(config)
    assert isinstance(engine, Recording)
    engine.requests = []
    return engine


class Front(NamedTuple):
    """kind: one of KINDS. url: the front's. upstream: the token server's."""

    kind: str
    url: str
    upstream: str
    capabilities: Capabilities


class Fronts:
    """One engine of the embedded model, its own server, and a front for each kind that a test asks for."""

    def __init__(self, portal: BlockingPortal, engine: Recording, own_url: str, open_: ExitStack) -> None:
        self.engine = engine
        self.own_url = own_url
        self._portal = portal
        self._open = open_
        self._made = dict[str, Front]()

    def over(self, kind: str) -> Front:
        """Return the front over a server of a kind, started by the first call."""
        if kind not in self._made:
            serving = upstream_of(kind, self.engine)
            upstream = self._open.enter_context(self._portal.wrap_async_context_manager(serving))
            config = RemoteConfig(model=str(DEMO_MODEL), api=api_of(kind).name, urls=(upstream,))
            remote = self._portal.call(RemoteEngine.start, config)
            self._open.callback(self._portal.call, remote.stop)
            url = _serve(self._portal, self._open, remote)
            self._made[kind] = Front(kind, url, upstream, remote.capabilities)
        return self._made[kind]


def _serve(portal: BlockingPortal, open_: ExitStack, engine: Engine) -> str:
    app = portal.call(build_app, Settings(), engine)
    return open_.enter_context(portal.wrap_async_context_manager(running_app(app)))


@contextmanager
def running_fronts() -> Iterator[Fronts]:
    with start_blocking_portal() as portal, ExitStack() as open_:
        engine = portal.call(new_recording)
        open_.callback(portal.call, engine.stop)
        yield Fronts(portal, engine, _serve(portal, open_, engine), open_)
