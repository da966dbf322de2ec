"""An engine whose tokens other servers compute: requests in, token events out; no torch."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Collection, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import msgspec
from typing_extensions import override

from engine.config import MAX_UNREAD_BYTES
from engine.port.admission import check_embedding, check_request
from engine.port.engine import Engine
from engine.port.errors import EngineDied, EngineError, GenerationFailed, NotCapable
from engine.port.events import Embedding, TokenEvent
from engine.port.info.adapter import Adapters
from engine.port.info.capabilities import Capabilities, check_capabilities, check_embedding_capability
from engine.port.info.model_info import ModelInfo
from engine.port.info.speech_info import SpeechReader
from engine.port.info.stats import Counters, EngineStats, Health, ProcessStats
from engine.port.media_item import FileKeeper, MediaProcessor
from engine.port.request import EmbeddingRequest, GenerationRequest, Media
from engine.port.stream_registry import StreamRegistry
from engine.port.text.tokenizer import Tokenizer
from engine.remote.build import build
from engine.remote.client.upstream import Upstream
from engine.remote.config import RemoteConfig
from engine.remote.fleet.admission import Admission
from engine.remote.fleet.server import Server
from engine.remote.local.local_server import LocalServer
from engine.remote.request_run import RequestRun
from engine.remote.served_model import ServedModel
from engine.remote.servers.served_adapters import ServedAdapters
from engine.remote.wire.token_api import TokenApi

if TYPE_CHECKING:  # a front of texts has no NumPy
    import numpy as np
    from numpy.typing import NDArray

_log = logging.getLogger(__name__)


class RemoteEngine(Engine):
    """An engine whose model one or more servers compute; texts, stop strings and ends are made here."""

    def __init__(
        self,
        api: TokenApi,
        upstreams: list[Upstream],
        served_name: str,
        tokenizer: Tokenizer,
        model_info: ModelInfo,
        server: LocalServer | None = None,
        media: FileKeeper | None = None,
        admission: Admission | None = None,
        absent: Collection[Upstream] = (),
        *,
        max_unread_bytes: int = MAX_UNREAD_BYTES,
        patience_s: float = 120.0,
    ) -> None:
        """Start the watch over the servers. Requires a running event loop.

        served_name: the servers' name for the model.
        server: the server that ends with this engine, and with which this engine dies.
        media: the reader of files for the model, if anything reads them.
        admission: the check of servers that come back, and of those that were `absent` at the start.
        patience_s: seconds for which a sequence waits for room if its answer has begun.
        """
        self._tokenizer = tokenizer
        self._model_info = model_info
        self._servers = [Server(each, is_admitted=each not in absent) for each in upstreams]
        self._model = ServedModel(api, served_name, tokenizer, self._servers)
        self._adapters = ServedAdapters(upstreams)
        self._admission = admission
        self._patience_s = patience_s
        self._media = media
        transcribes = model_info.speech is not None
        self._capabilities = msgspec.structs.replace(
            api.capabilities,
            media=model_info.media,
            generates_text=not transcribes,
            transcribes=transcribes,
        )
        self._registry = StreamRegistry(max_unread_bytes, self._cancel)
        self._tasks: dict[int, list[asyncio.Task[None]]] = {}  # by arrival
        self._counters = Counters()
        self._server = server
        self._death = asyncio.Event()
        self._watching: list[asyncio.Task[None]] = [asyncio.create_task(self._adapters.watch())]
        if server is not None:
            self._watching.append(asyncio.create_task(self._watch(server)))
        if len(upstreams) > 1:
            self._watching += [asyncio.create_task(each.watch(self._check_server)) for each in self._servers]

    @classmethod
    async def start(
        cls, config: RemoteConfig, *, on_progress: Callable[[str], None] | None = None
    ) -> "RemoteEngine":
        """Read the tokenizer, and wait until the servers are ready.

        on_progress: a function that is called in this loop with one line at a time. Raises ModelNotSupported
        if the model's files cannot be read, or if they do not belong to what the servers serve.
        """
        built = await build(config, on_progress or (lambda line: None))
        return cls(*built, max_unread_bytes=config.max_unread_bytes, patience_s=config.timeout_s)

    @property
    @override
    def tokenizer(self) -> Tokenizer:
        return self._tokenizer

    @property
    @override
    def model_info(self) -> ModelInfo:
        return self._model_info

    @property
    @override
    def capabilities(self) -> Capabilities:
        return self._capabilities

    @property
    @override
    def shares_interpreter(self) -> bool:
        """False: other processes compute."""
        return False

    @property
    @override
    def adapters(self) -> Adapters:
        """Those that the servers list."""
        return self._adapters

    @property
    @override
    def speech(self) -> SpeechReader | None:
        """None: no sound is read here. Where the model transcribes, its process gets whole recordings."""
        return None

    @property
    @override
    def media(self) -> MediaProcessor | None:
        return self._media

    @override
    async def submit(
        self, request: GenerationRequest, on_end: Callable[[int], object] | None = None
    ) -> AsyncGenerator[TokenEvent, None]:
        """Run a request. Closing the iterator closes its connections, so that the server aborts it."""
        self._check_alive()
        arrival, stream = self._registry.open(request, self._check, on_end)
        self._counters.num_requests += 1
        self._counters.num_prompt_tokens += len(request.prompt.token_ids)
        num_running = request.num_sequences
        is_over = False
        try:
            indexes = iter(range(num_running))
            num_parallel = min(request.num_parallel or num_running, num_running)
            put = partial(self._put, arrival)
            run = RequestRun(self._model, request, put, patience_s=self._patience_s)
            self._tasks[arrival] = [
                asyncio.create_task(self._run(arrival, run, indexes)) for _ in range(num_parallel)
            ]
            while num_running:
                event = stream.take()
                if event is None:
                    event = await stream.arrival()
                if isinstance(event, EngineError):
                    self._counters.num_failed += 1
                    is_over = True
                    raise event
                assert isinstance(event, TokenEvent)
                num_running -= event.finish is not None
                is_over = num_running == 0
                yield event
        finally:
            self._counters.num_aborted += not is_over
            self._registry.close(request.request_id)
            if num_running:
                self._cancel(arrival)
            self._tasks.pop(arrival, None)

    @override
    async def embed(self, request: EmbeddingRequest) -> Embedding:
        """Raise NotCapable: no token API makes embeddings. Other errors come first, as elsewhere."""
        self._check_alive()
        self._registry.open(request, self._check_embedding)
        raise AssertionError("the wire has no embeddings")

    @override
    async def abort(self, request_id: str) -> None:
        self._registry.abort(request_id)

    @override
    async def health(self) -> Health:
        """Return whether a server is healthy. This process need not be replaced if none is, unless its own
        server has ended.
        """
        if self._death.is_set():
            return Health(False, "the engine's server ended", is_alive=False)
        if self._registry.is_draining:
            return Health(False, "the engine drains")
        admitted = [server for server in self._servers if server.is_admitted]
        answers = await asyncio.gather(*(server.check_health() for server in admitted))
        num_refused = sum(server.refusal is not None for server in self._servers)
        # Probes need no key: addresses and names are only in the log.
        refused = (
            f"{num_refused} of {len(self._servers)} servers do not serve the model" if num_refused else None
        )
        if not any(answers):
            unhealthy = "no server of the engine is healthy"
            return Health(False, unhealthy if refused is None else f"{unhealthy}; {refused}")
        return Health(True, refused)

    @override
    async def death(self) -> None:
        """Return once the server that this engine has started has ended, with all requests ended.

        Other servers that end may come back, and the engine finds them again.
        """
        await self._death.wait()

    @override
    def stats(self) -> EngineStats:
        """Return the gauges of this process, where nothing waits; the servers' metrics have the others."""
        num_blocks = self._model_info.num_blocks
        return EngineStats(
            num_running=self._model.num_running,
            num_waiting=0,
            num_blocks=num_blocks,
            num_free_blocks=num_blocks,
            processes=() if self._media is None else (_decoding_stats(),),
            counters=self._counters.copy(),
        )

    @override
    async def align(self, window: Media, token_ids: Sequence[int]) -> "NDArray[np.float32]":
        """Raise NotCapable, since no token API has the decoder's attention."""
        raise NotCapable("words")

    @override
    async def drain(self, timeout_s: float) -> None:
        await self._registry.drain(timeout_s)

    @override
    async def stop(self) -> None:
        """End all requests with EngineStopped, close all connections, and end the server of this engine."""
        await self.drain(0)
        for task in self._watching:
            task.cancel()
        for each in self._servers:
            await each.upstream.close()
        if self._server is not None:
            await self._server.stop()

    def _check_alive(self) -> None:
        if self._death.is_set():
            raise EngineDied

    async def _watch(self, server: LocalServer) -> None:
        status = await server.exited()
        _log.critical("the engine's command ended with status %d", status)
        self._registry.end_all(EngineDied)
        self._death.set()

    async def _check_server(self, server: Server) -> None:
        if self._admission is not None:
            await self._admission.check(server)

    def _check(self, request: GenerationRequest) -> None:
        check_request(request, self._model_info, self._adapters.names)
        # Those of the token API, which sends nothing that only transcripts need: audio goes another way.
        check_capabilities(request, self._model.api.capabilities)

    def _check_embedding(self, request: EmbeddingRequest) -> None:
        check_embedding(request, self._model_info, self._adapters.names)
        check_embedding_capability(request, self._capabilities)

    def _cancel(self, arrival: int) -> None:
        for task in self._tasks.get(arrival, ()):
            task.cancel()

    async def _run(self, arrival: int, run: RequestRun, indexes: Iterator[int]) -> None:
        """Run sequences of a request, and report the error that ends them, if any."""
        try:
            await run.sequences(indexes)
        except EngineError as error:
            self._registry.deliver(((arrival, error),))
        except Exception:
            _log.exception("a request failed by a bug")
            self._registry.deliver(((arrival, GenerationFailed("the request failed")),))

    def _put(self, arrival: int, event: TokenEvent) -> None:
        self._counters.count_token(event)
        self._registry.deliver(((arrival, event),))


def _decoding_stats() -> ProcessStats:
    """Return the numbers of the program that decodes files, which a front of texts never imports."""
    from engine.media.process.client import SHARED

    return SHARED.stats()
