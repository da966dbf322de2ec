"""An engine whose tokens other servers compute: requests in, token events out; no torch."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Collection, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from random import uniform
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from engine.config import MAX_UNREAD_BYTES
from engine.media.process.client import SHARED as DECODING
from engine.port.admission import check_embedding, check_request
from engine.port.engine import Engine
from engine.port.errors import EngineBusy, EngineDied, EngineError, GenerationFailed, NotCapable
from engine.port.events import Embedding, TokenEvent
from engine.port.info.adapter import Adapters
from engine.port.info.capabilities import Capabilities, check_capabilities, check_embedding_capability
from engine.port.info.model_info import ModelInfo
from engine.port.info.speech_info import SpeechReader
from engine.port.info.stats import Counters, EngineStats, Health
from engine.port.media_item import FileKeeper, MediaProcessor
from engine.port.request import EmbeddingRequest, GenerationRequest, Media
from engine.port.stream_registry import StreamRegistry
from engine.port.text.tokenizer import Tokenizer
from engine.remote.answer import put_events
from engine.remote.build import build
from engine.remote.client.failures import NoAnswer
from engine.remote.client.upstream import Upstream
from engine.remote.config import RemoteConfig
from engine.remote.fleet.admission import Admission
from engine.remote.fleet.attempts import Attempts
from engine.remote.fleet.health_watch import is_healthy, watch
from engine.remote.fleet.load_watch import LoadWatch
from engine.remote.fleet.router import Router
from engine.remote.fleet.server import Server
from engine.remote.local.local_server import LocalServer
from engine.remote.sequence_events import CachedTokens
from engine.remote.servers.served_adapters import ServedAdapters
from engine.remote.wire.token_api import TokenApi
from engine.scheduling.block_keys import BlockKeys, request_tags

# Of a prompt, which are some thousand tokens: each costs a hash in the event loop.
_MAX_KEYED_BLOCKS: Final = 256
# SGLang's pages may hold one token: as many keys would end within a system prompt that all requests share.
_MIN_KEYED_TOKENS: Final = 16  # of a block

# Between two tries of a sequence that waits for room, growing.
_ROOM_PAUSE_S: Final = 0.02
_MAX_ROOM_PAUSE_S: Final = 0.5

_log = logging.getLogger(__name__)


class _Progress:
    """The state of a request. has_begun: whether tokens of the answer that it belongs to have come."""

    def __init__(self, has_begun: bool) -> None:
        self.has_begun = has_begun


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
        reads_load: bool = False,
    ) -> None:
        """Start the watch over the servers. Requires a running event loop.

        served_name: the servers' name for the model.
        server: the server that ends with this engine, and with which this engine dies.
        media: the reader of files for the model, if anything reads them.
        admission: the check of servers that come back, and of those that were `absent` at the start.
        patience_s: seconds for which a sequence waits for room if its answer has begun.
        reads_load: whether the servers' own metrics are read.
        """
        self._tokenizer = tokenizer
        self._model_info = model_info
        self._api = api
        self._servers = [Server(each, is_admitted=each not in absent) for each in upstreams]
        self._router = Router(self._servers)
        self._adapters = ServedAdapters(upstreams)
        self._admission = admission
        self._patience_s = patience_s
        self._served_name = served_name
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
        self._num_running = 0
        self._counters = Counters()
        self._server = server
        self._death = asyncio.Event()
        self._watching: list[asyncio.Task[None]] = [asyncio.create_task(self._adapters.watch())]
        if server is not None:
            self._watching.append(asyncio.create_task(self._watch(server)))
        self._load = LoadWatch(upstreams, api.load_metrics)
        if reads_load:
            self._watching.append(asyncio.create_task(self._load.keep()))
        if len(upstreams) > 1:
            self._watching.append(asyncio.create_task(watch(self._servers, self._check_server)))

    @classmethod
    async def start(
        cls, config: RemoteConfig, *, on_progress: Callable[[str], None] | None = None
    ) -> "RemoteEngine":
        """Read the tokenizer, and wait until the servers are ready.

        on_progress: a function that is called in this loop with one line at a time. Raises ModelNotSupported
        if the model's files cannot be read, or if they do not belong to what the servers serve.
        """
        built = await build(config, on_progress or (lambda line: None))
        return cls(
            *built,
            max_unread_bytes=config.max_unread_bytes,
            patience_s=config.timeout_s,
            # The processes in front of one engine show its own metrics.
            reads_load=config.socket is None,
        )

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
        """None: no sound is read here. Where the model transcribes, its process gets whole sounds."""
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
            keys, cached = self._keys(request), CachedTokens()
            progress = _Progress(request.waits_for_room)
            self._tasks[arrival] = [
                asyncio.create_task(self._run(request, indexes, keys, cached, arrival, progress))
                for _ in range(num_parallel)
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
        answers = await asyncio.gather(*map(is_healthy, admitted))
        num_refused = sum(server.refusal is not None for server in self._servers)
        # Probes need no key: addresses and names are in the log alone.
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
        """Return the gauges of this process, with the load that the servers last reported.

        All else about their caches and batches is in their own metrics.
        """
        load = self._load.latest
        num_blocks = self._model_info.num_blocks
        return EngineStats(
            num_running=self._num_running,
            num_waiting=0 if load is None else load.num_waiting,
            num_blocks=num_blocks,
            num_free_blocks=num_blocks,
            cache_usage=None if load is None else load.cache_usage,
            processes=() if self._media is None else (DECODING.stats(),),
            counters=self._counters.copy(),
        )

    @override
    async def align(self, window: Media, token_ids: Sequence[int]) -> NDArray[np.float32]:
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
            await each.close()
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
        # Those of the token API, which sends nothing that transcripts alone need: sounds go another way.
        check_capabilities(request, self._api.capabilities)

    def _check_embedding(self, request: EmbeddingRequest) -> None:
        check_embedding(request, self._model_info, self._adapters.names)
        check_embedding_capability(request, self._capabilities)

    def _cancel(self, arrival: int) -> None:
        for task in self._tasks.get(arrival, ()):
            task.cancel()

    async def _run(
        self,
        request: GenerationRequest,
        indexes: Iterator[int],
        keys: Sequence[bytes],
        cached: CachedTokens,
        arrival: int,
        progress: "_Progress",
    ) -> None:
        """Run sequences of a request, one after another; others may run beside this."""
        put = partial(self._put, arrival, progress)
        try:
            for index in indexes:
                run = partial(self._sequence, request, index, keys, cached, put)
                await self._when_there_is_room(run, progress)
        except EngineError as error:
            self._registry.deliver(((arrival, error),))
        except Exception:
            _log.exception("a request failed by a bug")
            self._registry.deliver(((arrival, GenerationFailed("the request failed")),))

    async def _when_there_is_room(
        self, run: Callable[[], Coroutine[Any, Any, None]], progress: "_Progress"
    ) -> None:
        """Run one sequence, and run it again where no server has room and part of the answer is out already.

        Before that EngineBusy is raised, which the client may heed. Afterwards other clients' requests, of
        which this engine knows nothing, would end this one in its middle.
        """
        loop = asyncio.get_running_loop()
        ends_at, pause_s = loop.time() + self._patience_s, _ROOM_PAUSE_S
        while True:
            try:
                return await run()
            except EngineBusy:
                if not progress.has_begun or loop.time() + pause_s > ends_at:
                    raise
                await asyncio.sleep(uniform(pause_s / 2, pause_s))
                pause_s = min(2 * pause_s, _MAX_ROOM_PAUSE_S)

    def _put(self, arrival: int, progress: "_Progress", event: TokenEvent) -> None:
        progress.has_begun = True
        self._counters.count_token(event)
        self._registry.deliver(((arrival, event),))

    async def _sequence(
        self,
        request: GenerationRequest,
        index: int,
        keys: Sequence[bytes],
        cached: CachedTokens,
        put: Callable[[TokenEvent], None],
    ) -> None:
        """Run one sequence; at another server, where one fails before the first token."""
        num_tokens = len(request.prompt.token_ids) + request.stopping.max_tokens
        body = partial(self._api.body, request, index, self._served_name, self._tokenizer)
        with self._counted(), Attempts(self._router, num_tokens, keys, request.adapter) as attempts:
            while not await self._attempt(attempts, body, request, index, cached, put):
                pass

    async def _attempt(
        self,
        attempts: Attempts,
        body: Callable[[], Sequence[bytes]],
        request: GenerationRequest,
        index: int,
        cached: CachedTokens,
        put: Callable[[TokenEvent], None],
    ) -> bool:
        """Run a sequence at the server in turn, and return whether it is over, or to be sent to the next."""

        def note_and_put(event: TokenEvent) -> None:
            attempts.begun()
            put(event)

        try:
            await put_events(
                attempts.server.upstream,
                self._api,
                body,
                request,
                index,
                self._tokenizer,
                put=note_and_put,
                num_running=lambda: self._num_running,
                cached=cached,
                is_fresh=attempts.num_tries > 1,
            )
        except (NoAnswer, EngineError) as error:
            attempts.fail(error)
            return False
        attempts.complete()
        return True

    def _keys(self, request: GenerationRequest) -> list[bytes]:
        """Return the keys of the prompt's first blocks, by which servers are chosen, if there are several."""
        if len(self._servers) == 1:
            return []
        block_size = max(self._model_info.block_size, _MIN_KEYED_TOKENS)
        token_ids = list(request.prompt.token_ids[: _MAX_KEYED_BLOCKS * block_size])
        keys = BlockKeys(request_tags(request), block_size, request.prompt.media)
        return keys.of(token_ids, len(token_ids) // block_size)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        self._num_running += 1
        try:
            yield
        finally:
            self._num_running -= 1
