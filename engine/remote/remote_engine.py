"""An engine whose tokens other servers compute: requests in, token events out; no torch."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.config import MAX_UNREAD_BYTES
from engine.errors import EngineBusy, EngineDied, EngineError, GenerationFailed, NotCapable
from engine.events import Embedding, TokenEvent
from engine.frontend.admission import check_embedding, check_request
from engine.frontend.stream_registry import StreamRegistry
from engine.info.adapter import Adapters
from engine.info.capabilities import check_capabilities, check_embedding_capability
from engine.info.model_info import ModelInfo
from engine.info.speech_info import SpeechReader
from engine.info.stats import Counters, EngineStats, Health
from engine.media.process.client import SHARED as DECODING
from engine.media_item import FileKeeper, MediaProcessor
from engine.remote.answer import put_events
from engine.remote.build import build
from engine.remote.config import RemoteConfig
from engine.remote.sequence_events import CachedTokens
from engine.remote.servers.failures import NoAnswer
from engine.remote.servers.health_watch import eject, is_healthy, watch
from engine.remote.servers.local_server import LocalServer
from engine.remote.servers.router import Router
from engine.remote.servers.served_adapters import ServedAdapters
from engine.remote.servers.upstream import Upstream
from engine.remote.wire.token_api import TokenApi
from engine.request import EmbeddingRequest, GenerationRequest, Media
from engine.scheduling.block_keys import BlockKeys, request_tags
from engine.text.tokenizer import Tokenizer

# Of a prompt, which are some thousand tokens: each costs a hash in the event loop.
_MAX_KEYED_BLOCKS: Final = 256

_log = logging.getLogger(__name__)


class RemoteEngine:
    """A model that one or more servers compute; texts, stop strings and ends are made here.

    All methods belong to the event loop that started it. `on_end`, errors and the bound on unread events are
    as in AsyncEngine.
    """

    def __init__(
        self,
        api: TokenApi,
        upstreams: list[Upstream],
        served_name: str,
        tokenizer: Tokenizer,
        model_info: ModelInfo,
        server: LocalServer | None = None,
        media: FileKeeper | None = None,
        *,
        max_unread_bytes: int = MAX_UNREAD_BYTES,
    ) -> None:
        """served_name: the servers' name for the model. server: the one that ends with this engine, and with
        which this engine dies. media: what reads files for the model, if anything does. Requires a running
        event loop.
        """
        self.tokenizer = tokenizer
        self.model_info = model_info
        self._api = api
        self._upstreams = upstreams
        self._router = Router(upstreams)
        self._adapters = ServedAdapters(upstreams)
        self._served_name = served_name
        self._media = media
        transcribes = model_info.speech is not None
        self.capabilities = msgspec.structs.replace(
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
        if len(upstreams) > 1:
            self._watching.append(asyncio.create_task(watch(upstreams)))

    @classmethod
    async def start(
        cls, config: RemoteConfig, *, on_progress: Callable[[str], None] | None = None
    ) -> "RemoteEngine":
        """Read the tokenizer, and wait until the servers are ready.

        on_progress: called in this loop with one line at a time. Raises ModelNotSupported if the model's
        files cannot be read, or if they do not belong to what the servers serve.
        """
        built = await build(config, on_progress or (lambda line: None))
        return cls(*built, max_unread_bytes=config.max_unread_bytes)

    @property
    def shares_interpreter(self) -> bool:
        """False: other processes compute."""
        return False

    @property
    def adapters(self) -> Adapters:
        """Those that the servers list."""
        return self._adapters

    @property
    def speech(self) -> SpeechReader | None:
        """None: no sound is read here. Where the model transcribes, its process gets whole sounds."""
        return None

    @property
    def media(self) -> MediaProcessor | None:
        """The processor of files for the model; None for a model that reads text alone."""
        return self._media

    async def submit(
        self, request: GenerationRequest, on_end: Callable[[int], object] | None = None
    ) -> AsyncGenerator[TokenEvent, None]:
        """Run a request. Closing the iterator closes its connections, so that the server aborts it.

        Events and errors come as from `AsyncEngine.submit`; NotCapable too.
        """
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
            self._tasks[arrival] = [
                asyncio.create_task(self._run(request, indexes, keys, cached, arrival))
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

    async def embed(self, request: EmbeddingRequest) -> Embedding:
        """Raise NotCapable: no token API makes embeddings. Other errors come first, as elsewhere."""
        self._check_alive()
        self._registry.open(request, self._check_embedding)
        raise AssertionError("the wire has no embeddings")

    async def abort(self, request_id: str) -> None:
        """End a request, whose iterator raises RequestAborted. Unknown and ended ids are ignored."""
        self._registry.abort(request_id)

    async def health(self) -> Health:
        """Return whether a server is healthy. This process need not be replaced if none is, unless its own
        server has ended.
        """
        if self._death.is_set():
            return Health(False, "the engine's server ended", is_alive=False)
        if self._registry.is_draining:
            return Health(False, "the engine drains")
        answers = await asyncio.gather(*map(is_healthy, self._upstreams))
        if not any(answers):
            urls = ", ".join(upstream.url for upstream in self._upstreams)
            return Health(False, f"no healthy server at {urls}")
        return Health(True)

    async def death(self) -> None:
        """Return once the server that this engine has started has ended, with all requests ended.

        Other servers that end may come back, and the engine finds them again.
        """
        await self._death.wait()

    def stats(self) -> EngineStats:
        """Return the gauges of this process; the servers' cache and batches are in their own metrics."""
        num_blocks = self.model_info.num_blocks
        return EngineStats(
            num_running=self._num_running,
            num_waiting=0,
            num_blocks=num_blocks,
            num_free_blocks=num_blocks,
            processes=() if self._media is None else (DECODING.stats(),),
            counters=self._counters.copy(),
        )

    async def align(self, window: Media, token_ids: Sequence[int]) -> NDArray[np.float32]:
        """Raise NotCapable, since no token API has the decoder's attention."""
        raise NotCapable("words")

    async def drain(self, timeout_s: float) -> None:
        """Refuse new requests, and wait for running ones; after `timeout_s` they raise EngineStopped."""
        await self._registry.drain(timeout_s)

    async def stop(self) -> None:
        """End all requests with EngineStopped, close all connections, and end the server of this engine."""
        await self.drain(0)
        for task in self._watching:
            task.cancel()
        for upstream in self._upstreams:
            await upstream.close()
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

    def _check(self, request: GenerationRequest) -> None:
        check_request(request, self.model_info, self._adapters.names)
        check_capabilities(request, self.capabilities)

    def _check_embedding(self, request: EmbeddingRequest) -> None:
        check_embedding(request, self.model_info, self._adapters.names)
        check_embedding_capability(request, self.capabilities)

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
    ) -> None:
        """Run sequences of a request, one after another; others may run beside this."""
        put = partial(self._put, arrival)
        try:
            for index in indexes:
                await self._sequence(request, index, keys, cached, put)
        except EngineError as error:
            self._registry.deliver(((arrival, error),))
        except Exception:
            _log.exception("a request failed by a bug")
            self._registry.deliver(((arrival, GenerationFailed("the request failed")),))

    def _put(self, arrival: int, event: TokenEvent) -> None:
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
        """Run one sequence. It is sent a second time if the first server is lost before the first token, and
        to another if there is one that may have room.
        """
        num_tokens = len(request.prompt.token_ids) + request.stopping.max_tokens
        upstream = self._router.choose(num_tokens, keys, adapter=request.adapter)
        body = await self._encoded(request, index)
        for is_last in (False, True):
            try:
                with self._counted(upstream, num_tokens):
                    await put_events(
                        upstream,
                        self._api,
                        body,
                        request,
                        index,
                        self.tokenizer,
                        put=put,
                        num_running=lambda: self._num_running,
                        cached=cached,
                    )
                return
            except NoAnswer as error:
                _log.warning("%s did not answer a request: %s", upstream.url, error.__cause__ or error)
                if is_last:
                    raise EngineBusy("the engine's server cannot be reached") from error
                if len(self._upstreams) > 1:
                    eject(upstream)
            except EngineBusy:
                if is_last or len(self._upstreams) == 1:
                    raise
            upstream = self._router.choose(num_tokens, keys, but=upstream, adapter=request.adapter)

    async def _encoded(self, request: GenerationRequest, index: int) -> bytes:
        """Return the body that asks for a sequence; one with files, which may be large, from a thread."""
        encode = partial(self._api.encode, request, index, self._served_name, self.tokenizer)
        return await asyncio.to_thread(encode) if request.prompt.media else encode()

    def _keys(self, request: GenerationRequest) -> list[bytes]:
        """Return the keys of the prompt's first blocks, by which servers are chosen, if there are several."""
        if len(self._upstreams) == 1:
            return []
        block_size = self.model_info.block_size
        token_ids = list(request.prompt.token_ids[: _MAX_KEYED_BLOCKS * block_size])
        keys = BlockKeys(request_tags(request), block_size, request.prompt.media)
        return keys.of(token_ids, len(token_ids) // block_size)

    @contextmanager
    def _counted(self, upstream: Upstream, num_tokens: int) -> Iterator[None]:
        upstream.num_outstanding += num_tokens
        self._num_running += 1
        try:
            yield
        finally:
            upstream.num_outstanding -= num_tokens
            self._num_running -= 1
