"""An engine whose tokens a vLLM server computes: requests in, token events out; no torch."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

import msgspec

from engine.capabilities import Capabilities, check_capabilities, check_embedding_capability
from engine.config import MAX_UNREAD_BYTES
from engine.errors import (
    EngineBusy,
    EngineError,
    EngineStopped,
    GenerationFailed,
    InvalidGrammar,
    InvalidRequest,
    ModelNotSupported,
    ReaderTooSlow,
    RequestAborted,
)
from engine.events import Embedding, TokenEvent
from engine.frontend.admission import check_embedding, check_request
from engine.frontend.request_stream import RequestStream, UnreadBound
from engine.model_info import ModelInfo
from engine.remote.config import RemoteConfig
from engine.remote.model_files import read_model_files
from engine.remote.server_facts import ServerFacts, check_generates, wait_until_ready
from engine.remote.upstream import Answer, BadStatus, CutOff, NoAnswer, Upstream
from engine.remote.vllm_wire import (
    CAPABILITIES,
    GENERATE,
    AnswerReader,
    Malformed,
    UpstreamError,
    encode_request,
    error_reason,
    is_streamed,
)
from engine.request import EmbeddingRequest, GenerationRequest
from engine.stats import Counters, EngineStats, Health
from engine.text.sequence_output import SequenceOutput
from engine.text.tokenizer import Tokenizer

Request = TypeVar("Request", GenerationRequest, EmbeddingRequest)

_HEALTH_TIMEOUT_S: Final = 2.0
# Servers answer these until there is room for a request again, or until they have started.
_BUSY: Final = frozenset({429, 502, 503, 504})
_UNREAD_LOOK_EVENTS: Final = 256
# The shares of a KV cache whose size the server does not report.
_BLOCK_SIZE: Final = 16

_log = logging.getLogger(__name__)


class RemoteEngine:
    """A model that one or more vLLM servers compute; texts, stop strings and ends are made here.

    All methods belong to the event loop that started it. `on_end`, errors and the bound on unread events are
    as in AsyncEngine.
    """

    def __init__(
        self,
        upstreams: list[Upstream],
        served_name: str,
        tokenizer: Tokenizer,
        model_info: ModelInfo,
        *,
        max_unread_bytes: int = MAX_UNREAD_BYTES,
    ) -> None:
        """served_name: the servers' name for the model. Requires a running event loop."""
        self.tokenizer = tokenizer
        self.model_info = model_info
        self._upstreams = upstreams
        self._served_name = served_name
        self._streams: dict[int, RequestStream] = {}  # by arrival
        self._arrivals: dict[str, int] = {}  # by request id
        self._tasks: dict[int, list[asyncio.Task[None]]] = {}
        self._num_arrivals = 0
        self._num_running = 0
        self._num_delivered = 0  # since the bound was last checked
        self._unread_bound = UnreadBound(max_unread_bytes)
        self._has_no_streams = asyncio.Event()
        self._has_no_streams.set()
        self._is_draining = False
        self._counters = Counters()

    @classmethod
    async def start(
        cls, config: RemoteConfig, *, on_progress: Callable[[str], None] | None = None
    ) -> "RemoteEngine":
        """Read the tokenizer, and wait until the servers are ready.

        on_progress: called in this loop with one line at a time. Raises ModelNotSupported if the model's
        files cannot be read, or if they do not belong to what the servers serve.
        """
        report = on_progress or (lambda line: None)
        loop = asyncio.get_running_loop()
        upstreams = [Upstream(url, api_key=config.api_key, timeout_s=config.timeout_s) for url in config.urls]
        try:
            files = await asyncio.to_thread(
                read_model_files, config, lambda line: loop.call_soon_threadsafe(report, line)
            )
            every = [await wait_until_ready(upstream, config, report) for upstream in upstreams]
            facts = _agreed(every)
            for upstream in upstreams:
                await check_generates(upstream, facts.served_name, max(files.tokenizer.known_ids))
            max_total_tokens = _max_total_tokens(config, facts, files.context)
        except BaseException:
            for upstream in upstreams:
                await upstream.close()
            raise
        num_blocks = facts.num_blocks or -(-max_total_tokens // _BLOCK_SIZE)
        info = ModelInfo(
            model_id=config.model,
            revision=files.revision,
            architecture=files.architecture,
            dtype=files.dtype,
            device="vllm",
            num_parameters=0,
            max_total_tokens=max_total_tokens,
            vocab_size=files.vocab_size,
            hidden_size=files.hidden_size,
            num_blocks=num_blocks,
            block_size=facts.block_size or _BLOCK_SIZE,
            kv_cache_bytes=0,
            max_batch_tokens=max_total_tokens,
            max_num_sequences=config.max_num_sequences,
        )
        return cls(
            upstreams, facts.served_name, files.tokenizer, info, max_unread_bytes=config.max_unread_bytes
        )

    @property
    def capabilities(self) -> Capabilities:
        return CAPABILITIES

    async def submit(
        self, request: GenerationRequest, on_end: Callable[[int], object] | None = None
    ) -> AsyncGenerator[TokenEvent, None]:
        """Run a request. Closing the iterator closes its connections, so that the server aborts it.

        Events and errors come as from `AsyncEngine.submit`; NotCapable too.
        """
        arrival, stream = self._open(request, on_end)
        num_running = request.num_sequences
        is_over = False
        try:
            indexes = iter(range(request.num_sequences))
            num_parallel = min(request.num_parallel or num_running, num_running)
            self._tasks[arrival] = [
                asyncio.create_task(self._run(request, indexes, arrival)) for _ in range(num_parallel)
            ]
            while num_running:
                if stream.is_empty:
                    await stream.arrival()
                event = stream.take()
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
            self._close(request.request_id, is_whole=num_running == 0)

    async def embed(self, request: EmbeddingRequest) -> Embedding:
        """Raise NotCapable: vLLM's token API makes no embeddings. Other errors come first, as elsewhere."""
        self._check_open(request.request_id)
        check_embedding(request, self.model_info)
        check_embedding_capability(request, self.capabilities)
        raise AssertionError("the wire has no embeddings")

    async def abort(self, request_id: str) -> None:
        """End a request, whose iterator raises RequestAborted. Unknown and ended ids are ignored."""
        if (arrival := self._arrivals.get(request_id)) is not None:
            self._end(arrival, RequestAborted(f"request {request_id} was aborted"))

    async def health(self) -> Health:
        """Return whether a server is healthy. This process need not be replaced if none is."""
        if self._is_draining:
            return Health(False, "the engine drains")
        answers = await asyncio.gather(*map(_is_healthy, self._upstreams))
        if not any(answers):
            urls = ", ".join(upstream.url for upstream in self._upstreams)
            return Health(False, f"no healthy server at {urls}")
        return Health(True)

    async def death(self) -> None:
        """Never return: a server that ends may come back, and the engine finds it again."""
        await asyncio.Event().wait()

    def stats(self) -> EngineStats:
        """Return the gauges of this process; the servers' cache and batches are in their own metrics."""
        num_blocks = self.model_info.num_blocks
        return EngineStats(
            num_running=self._num_running,
            num_waiting=0,
            num_blocks=num_blocks,
            num_free_blocks=num_blocks,
            counters=self._counters.copy(),
        )

    async def drain(self, timeout_s: float) -> None:
        """Refuse new requests, and wait for running ones; after `timeout_s` they raise EngineStopped."""
        self._is_draining = True
        try:
            async with asyncio.timeout(timeout_s):
                await self._has_no_streams.wait()
        except TimeoutError:
            for arrival in list(self._streams):
                self._end(arrival, EngineStopped("the engine stops"))

    async def stop(self) -> None:
        """End all requests with EngineStopped, and close all connections."""
        await self.drain(0)
        for upstream in self._upstreams:
            await upstream.close()

    def _check_open(self, request_id: str) -> None:
        if self._is_draining:
            raise EngineStopped("the engine takes no new requests")
        if request_id in self._arrivals:
            raise InvalidRequest(f"a request {request_id} is running already")

    def _open(
        self, request: GenerationRequest, on_end: Callable[[int], object] | None
    ) -> tuple[int, RequestStream]:
        self._check_open(request.request_id)
        check_request(request, self.model_info)
        check_capabilities(request, self.capabilities)
        arrival = self._arrivals[request.request_id] = self._num_arrivals
        self._num_arrivals += 1
        stream = self._streams[arrival] = RequestStream(request, on_end)
        self._has_no_streams.clear()
        self._counters.num_requests += 1
        self._counters.num_prompt_tokens += len(request.prompt.token_ids)
        return arrival, stream

    def _close(self, request_id: str, *, is_whole: bool) -> None:
        arrival = self._arrivals.pop(request_id)
        del self._streams[arrival]
        tasks = self._tasks.pop(arrival, [])
        if not is_whole:
            for task in tasks:
                task.cancel()
        if not self._streams:
            self._has_no_streams.set()

    def _end(self, arrival: int, error: EngineError) -> None:
        for task in self._tasks.get(arrival, ()):
            task.cancel()
        self._streams[arrival].put(error)

    async def _run(self, request: GenerationRequest, indexes: Iterator[int], arrival: int) -> None:
        """Run sequences of a request, one after another; others may run beside this."""
        stream = self._streams[arrival]
        try:
            for index in indexes:
                await self._sequence(request, index, lambda event: self._put(arrival, stream, event))
        except EngineError as error:
            stream.put(error)
        except Exception:
            _log.exception("a request failed by a bug")
            stream.put(GenerationFailed("the request failed"))

    def _put(self, arrival: int, stream: RequestStream, event: TokenEvent) -> None:
        stream.put(event)
        self._counters.num_generated_tokens += 1
        if event.finish is not None:
            self._counters.count_finish(event.finish.value)
        self._num_delivered += 1
        if self._num_delivered >= _UNREAD_LOOK_EVENTS:
            self._num_delivered = 0
            for each in self._unread_bound.exceeded(self._streams):
                self._streams[each].clear()
                self._end(each, ReaderTooSlow("the answer is read more slowly than it comes"))

    async def _sequence(
        self, request: GenerationRequest, index: int, put: Callable[[TokenEvent], None]
    ) -> None:
        """Run one sequence. It is sent a second time if the first server is lost before the first token."""
        body = encode_request(request, index, self._served_name, self.tokenizer)
        num_tokens = len(request.prompt.token_ids) + request.stopping.max_tokens
        upstream = self._least_busy()
        for is_last in (False, True):
            try:
                with self._counted(upstream, num_tokens):
                    await self._answer(upstream, body, request, index, put)
                return
            except NoAnswer as error:
                _log.warning("%s did not answer a request: %s", upstream.url, error.__cause__ or error)
                if is_last:
                    raise EngineBusy("the engine's server cannot be reached") from error
                upstream = self._least_busy(but=upstream)

    def _least_busy(self, but: Upstream | None = None) -> Upstream:
        """Return the server with the fewest tokens outstanding.

        but: another than this one, if there is one.
        """
        others = [upstream for upstream in self._upstreams if upstream is not but] or self._upstreams
        return min(others, key=lambda upstream: upstream.num_outstanding)

    @contextmanager
    def _counted(self, upstream: Upstream, num_tokens: int) -> Iterator[None]:
        upstream.num_outstanding += num_tokens
        self._num_running += 1
        try:
            yield
        finally:
            upstream.num_outstanding -= num_tokens
            self._num_running -= 1

    async def _answer(
        self,
        upstream: Upstream,
        body: bytes,
        request: GenerationRequest,
        index: int,
        put: Callable[[TokenEvent], None],
    ) -> None:
        """Send a sequence's request, and put its events.

        Raises NoAnswer if no token has come and another try may have more success, and else an EngineError.
        """
        output = SequenceOutput(request, self.tokenizer, index=index)
        reader = AnswerReader(request, self.tokenizer)
        last_time = time.perf_counter()
        has_begun = False
        try:
            async with upstream.post(GENERATE, body) as answer:
                while (pieces := await _next(answer, request, has_begun=has_begun)) is not None:
                    for data in pieces:
                        for token in reader.read(data):
                            now = time.perf_counter()
                            event = output.append(
                                token.token_id,
                                is_complete=token.is_complete,
                                logprob=token.logprob,
                                top_logprobs=token.top_logprobs,
                                prompt=None if has_begun else reader.prompt,
                                batch_size=self._num_running,
                                step_s=now - last_time,
                            )
                            last_time, has_begun = now, True
                            put(event)
                            if event.finish is not None:
                                if reader.finish_reason is not None:
                                    await answer.finish()
                                return
            if not has_begun and reader.finish_reason is None:
                raise NoAnswer("the connection was closed before the first token")
            raise GenerationFailed("the engine's server ended the sequence early")
        except BadStatus as error:
            raise _refusal(error, request) from error
        except CutOff as error:
            if has_begun or isinstance(error.__cause__, TimeoutError):
                _log.error("%s broke an answer off: %s", upstream.url, error)
                raise GenerationFailed(f"the engine's server broke off: {error}") from error
            raise NoAnswer(str(error)) from error
        except (Malformed, UpstreamError) as error:
            _log.error("%s answered with %s: %s", upstream.url, type(error).__name__, error)
            raise GenerationFailed("the engine's server failed") from error


async def _next(answer: Answer, request: GenerationRequest, *, has_begun: bool) -> list[bytes] | None:
    """Return the next data of an answer; that of one which is not streamed is its whole body, once."""
    if is_streamed(request):
        return await answer.next()
    return None if has_begun else [await answer.whole()]


def _refusal(error: BadStatus, request: GenerationRequest) -> EngineError:
    """Return the engine's error for a server's refusal of a request."""
    reason, parameter = error_reason(error.body)
    if error.status in _BUSY:
        return EngineBusy("the engine's server has no room")
    if error.status in (400, 422):
        if request.sampling.grammar is not None and parameter in (None, "", "structured_outputs"):
            return InvalidGrammar(f"the engine refuses the grammar: {reason}")
        return InvalidRequest(f"the engine refuses the request: {reason}")
    _log.error("the engine's server answered with status %d: %s", error.status, reason)
    return GenerationFailed("the engine's server failed")


async def _is_healthy(upstream: Upstream) -> bool:
    try:
        return (await upstream.get("/health", timeout_s=_HEALTH_TIMEOUT_S)).status == 200
    except NoAnswer:
        return False


def _agreed(every: list[ServerFacts]) -> ServerFacts:
    """Return what all servers have in common. Raises ModelNotSupported if they serve different models."""
    if len(names := {facts.served_name for facts in every}) > 1:
        raise ModelNotSupported(f"the servers serve different models: {', '.join(sorted(names))}")
    known = [facts.max_total_tokens for facts in every if facts.max_total_tokens is not None]
    return msgspec.structs.replace(every[0], max_total_tokens=min(known, default=None))


def _max_total_tokens(config: RemoteConfig, facts: ServerFacts, context: int | None) -> int:
    limit = context if facts.max_total_tokens is None else facts.max_total_tokens
    wanted = config.max_total_tokens or limit
    if wanted is None:
        raise ModelNotSupported(
            "neither the server nor config.json names a context length: max_total_tokens must be given"
        )
    if limit is not None and wanted > limit:
        raise ModelNotSupported(f"max_total_tokens {wanted} exceeds the server's {limit}")
    return wanted
