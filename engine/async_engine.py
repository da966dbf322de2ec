"""The asyncio interface of the local engine: requests in, token events out."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress
from functools import partial

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray
from typing_extensions import override

from engine.assembly.built_engine import BuiltEngine
from engine.bounded_process.client import CAN_FORK
from engine.build import build_core
from engine.config import MAX_UNREAD_BYTES, AdapterLimits, EngineConfig
from engine.engine_thread.engine_thread import Abort, Add, Embed, EngineThread
from engine.engine_thread.stepped_core import SteppedCore
from engine.grammar.compile_queue import GrammarQueue
from engine.grammar.compiler import CompiledGrammar, GrammarCompiler
from engine.grammar.ebnf.process.client import SHARED as GRAMMARS
from engine.host.call_thread import CallThread
from engine.lora.registry import AdapterRegistry
from engine.media.process.client import SHARED as DECODING
from engine.port.admission import check_embedding, check_request
from engine.port.engine import Engine
from engine.port.errors import EngineDied, EngineError, EngineStopped, GenerationFailed, NotCapable
from engine.port.events import Embedding, TokenEvent
from engine.port.info.capabilities import Capabilities
from engine.port.info.model_info import ModelInfo
from engine.port.info.speech_info import SpeechReader
from engine.port.info.stats import EngineStats, Health
from engine.port.media_item import MediaProcessor
from engine.port.request import EmbeddingRequest, GenerationRequest, Media
from engine.port.request_stream import RequestStream
from engine.port.stream_registry import StreamRegistry
from engine.port.text.tokenizer import Tokenizer
from engine.sampling.request_tables import RequestTables, are_large

# A step that takes longer is assumed to hang.
MAX_STEP_S = 120.0
STOP_TIMEOUT_S = 0.5  # to wait for a running step when the engine stops
_START_TIMEOUT_S = 3.0  # to wait for a load in progress when `start` is cancelled
_THREAD_NAME = "engine"

_log = logging.getLogger(__name__)


class AsyncEngine(Engine):
    """An engine that runs the model in a thread of this process."""

    def __init__(
        self,
        built: BuiltEngine[SteppedCore],
        thread: CallThread | None = None,
        *,
        compiler: GrammarCompiler | None = None,
        max_unread_bytes: int = MAX_UNREAD_BYTES,
    ) -> None:
        """Start the engine's thread for a loaded model. Requires a running event loop.

        Use `start` to load the model too. thread: the thread in which the core was built. compiler: that of
        grammars, if it is made already. max_unread_bytes: as in EngineConfig.
        """
        core, tokenizer, model_info = built.core, built.tokenizer, built.info
        self._media = built.media
        self._speech = built.speech
        self._tokenizer = tokenizer
        self._model_info = model_info
        self._adapters = built.adapters or AdapterRegistry({}, AdapterLimits())
        self._core = core
        self._loop = asyncio.get_running_loop()
        transcribes = self._speech is not None
        self._capabilities = Capabilities(
            media=model_info.media,
            embeddings=not transcribes,
            generates_text=not transcribes,
            transcribes=transcribes,
        )
        self._registry = StreamRegistry(max_unread_bytes, lambda arrival: self._thread.post(Abort(arrival)))
        self._is_stopped = False
        self._death = asyncio.Event()
        self._grammars = GrammarQueue(compiler or _compiler(tokenizer))
        self._thread = EngineThread(
            core,
            thread=thread or CallThread(_THREAD_NAME),
            publish=lambda outputs: self._call_soon(self._registry.deliver, outputs),
            on_death=lambda: self._call_soon(self._die),
        )
        self._thread.start()

    @classmethod
    async def start(
        cls, config: EngineConfig, *, on_progress: Callable[[str], None] | None = None
    ) -> "AsyncEngine":
        """Load the model in the engine's thread, and return the engine.

        on_progress: called in this event loop with a line of text about the progress. Raises
        ModelNotSupported; CannotLoadAdapter; CannotPublish; KernelsMissing with `config.require_native`.
        """
        loop = asyncio.get_running_loop()

        def report(line: str) -> None:
            if on_progress is not None:
                loop.call_soon_threadsafe(on_progress, line)

        thread = CallThread(_THREAD_NAME)
        try:
            built = await asyncio.wrap_future(thread.submit(build_core, config, report))
            compiler = _compiler(built.tokenizer)
            # The first request with a grammar would wait for it.
            await asyncio.to_thread(compiler.prepare)
            return cls(built, thread, compiler=compiler, max_unread_bytes=config.max_unread_bytes)
        except BaseException:
            thread.end()
            # Wait, since a process that exits while libraries are being loaded may crash.
            if not thread.join(_START_TIMEOUT_S):
                _log.error("the model is still loading, but the start was cancelled")
            raise

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
    def adapters(self) -> AdapterRegistry:
        return self._adapters

    @property
    @override
    def capabilities(self) -> Capabilities:
        return self._capabilities

    @property
    @override
    def media(self) -> MediaProcessor | None:
        return None if self._media is None else self._media.processor

    @property
    @override
    def speech(self) -> SpeechReader | None:
        return None if self._speech is None else self._speech.reader

    @property
    @override
    def shares_interpreter(self) -> bool:
        """True, since a step runs Python code between its torch calls."""
        return True

    @override
    async def submit(
        self, request: GenerationRequest, on_end: Callable[[int], object] | None = None
    ) -> AsyncGenerator[TokenEvent, None]:
        submitted_at = time.perf_counter()
        self._check_alive()
        arrival, stream = self._registry.open(
            request, lambda new: check_request(new, self._model_info, self._adapters), on_end
        )
        num_running = request.num_sequences
        try:
            grammar = await self._compile(request, stream)
            tables = await self._tables(request)
            async with self._adapters.using(request.adapter) as adapter:
                self._thread.post(Add(arrival, request, grammar, submitted_at, tables, adapter))
                while num_running:
                    event = stream.take()
                    if event is None:
                        event = await stream.arrival()
                    if isinstance(event, EngineError):
                        raise event
                    assert isinstance(event, TokenEvent)
                    num_running -= event.finish is not None
                    yield event
        finally:
            self._registry.close(request.request_id)
            if num_running:  # ended early: posted after Add, so that the core removes the request
                self._thread.post(Abort(arrival))

    @override
    async def embed(self, request: EmbeddingRequest) -> Embedding:
        submitted_at = time.perf_counter()
        self._check_alive()
        arrival, stream = self._registry.open(
            request, lambda new: check_embedding(new, self._model_info, self._adapters)
        )
        try:
            async with self._adapters.using(request.adapter) as adapter:
                self._thread.post(Embed(arrival, request, submitted_at, adapter))
                result = stream.take()
                if result is None:
                    result = await stream.arrival()
        except asyncio.CancelledError:
            self._thread.post(Abort(arrival))
            raise
        finally:
            self._registry.close(request.request_id)
        if isinstance(result, EngineError):
            raise result
        assert isinstance(result, Embedding)
        return result

    @override
    async def align(self, window: Media, token_ids: Sequence[int]) -> NDArray[np.float32]:
        """Compute the weights of `Engine.align` between two steps."""
        self._check_alive()
        if self._model_info.speech is None or not self._model_info.speech.alignment_heads:
            raise NotCapable("words")
        assert self._speech is not None, "a speech model has these parts"
        try:
            computing = self._thread.compute(partial(self._speech.cross_weights, window, token_ids))
            return await asyncio.wrap_future(computing)
        except EngineError:
            self._check_alive()
            raise
        except Exception as error:  # any exception of the model's code
            _log.exception("the alignment of a window failed")
            raise GenerationFailed("the timestamps of words could not be computed") from error

    @override
    async def abort(self, request_id: str) -> None:
        self._registry.abort(request_id)

    @override
    async def health(self) -> Health:
        if self._death.is_set():
            return Health(False, "the engine died", is_alive=False)
        if self._core.is_failing:
            return Health(False, "every step of the model fails", is_alive=False)
        if (stalled_s := self._core.stats().stalled_s) > MAX_STEP_S:
            return Health(False, f"no step has ended for {stalled_s:.0f} s", is_alive=False)
        if self._registry.is_draining:
            return Health(False, "the engine is draining")
        return Health(True)

    @override
    async def death(self) -> None:
        await self._death.wait()

    @override
    def stats(self) -> EngineStats:
        adapters = self._adapters.stats(self._core.used_adapters())
        decodes = self._media is not None or self._speech is not None
        processes = (GRAMMARS.stats(), DECODING.stats()) if decodes else (GRAMMARS.stats(),)
        media = None if self._media is None else self._media.stats()
        return replace(
            self._core.stats(),
            adapters=adapters,
            media=media,
            processes=processes,
            grammars_s=self._grammars.seconds.copy(),
        )

    @override
    async def drain(self, timeout_s: float) -> None:
        if not await self._registry.drain(timeout_s):
            self._grammars.stop()

    @override
    async def stop(self) -> None:
        """End all requests with EngineStopped, then the threads.

        A step that does not end within STOP_TIMEOUT_S is left running, with an error in the log.
        """
        if self._is_stopped:
            return
        self._is_stopped = True
        await self.drain(0)
        self._grammars.stop()
        self._adapters.close()
        if not await asyncio.to_thread(self._thread.stop, STOP_TIMEOUT_S):
            _log.error("the running step has not ended; the engine stops without waiting for it")

    def _check_alive(self) -> None:
        if self._death.is_set():
            raise EngineDied

    async def _compile(self, request: GenerationRequest, stream: RequestStream) -> CompiledGrammar | None:
        grammar = request.sampling.grammar
        if grammar is None:
            return None
        try:
            return await self._grammars.compile(grammar)
        except EngineStopped:
            if isinstance(reason := stream.take(), EngineError):
                raise reason from None  # the reason the compilation was cancelled
            raise

    def _call_soon(self, callback: Callable[..., object], *arguments: object) -> None:
        """Call a function in the event loop from the engine's thread; do nothing if the loop is closed."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(callback, *arguments)

    async def _tables(self, request: GenerationRequest) -> RequestTables | None:
        """Build large tables of a request in another thread, so that steps are not delayed."""
        if not are_large(request):
            return None
        device = self._core.device
        return await asyncio.to_thread(
            RequestTables, request.sampling, request.stopping, self._tokenizer, device
        )

    def _die(self) -> None:
        self._registry.end_all(EngineDied)
        self._grammars.stop()
        self._death.set()


def _compiler(tokenizer: Tokenizer) -> GrammarCompiler:
    return GrammarCompiler(tokenizer, GRAMMARS if CAN_FORK else None)
