"""Transcripts for the processes that answer HTTP, by the one whose model transcribes.

A transcript is made of windows that follow each other by the times in the text of the one before, of features
of the whole sound, and of the decoder's attention. So the whole sound goes to the engine's process, which
writes it down, and the events of the transcript come back, a line of JSON each.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing, suppress
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send
from typing_extensions import override

from engine.errors import (
    EngineBusy,
    EngineDied,
    EngineStopped,
    GenerationFailed,
    InvalidMedia,
    InvalidRequest,
    NotCapable,
    RequestAborted,
)
from engine.remote.servers.failures import BadStatus, CutOff, NoAnswer
from engine.remote.servers.upstream import Upstream
from engine.remote.sse import LineSplitter
from handlers.active_requests.active_request import ActiveRequest, ActiveRequests
from handlers.active_requests.engine import Engine
from handlers.concurrency.limit import ConcurrencyLimit, Overloaded
from handlers.concurrency.workers import Workers
from handlers.errors.refused import Refused
from handlers.errors.violation import Violation
from handlers.settings.settings import Settings
from handlers.transcription.transcriber import Transcriber
from handlers.transcription.transcript import (
    TextDelta,
    Transcribes,
    Transcript,
    TranscriptEvent,
    TranscriptionRequest,
)

PATH: Final = "/transcripts"
# Between two lines, of which one may be blank: a window can take longer than an engine may be silent.
_PULSE_S: Final = 10.0
_MAX_LINE_BYTES: Final = 64 * 2**20


class Failure(msgspec.Struct, omit_defaults=True):
    """An error by the name of its class, with what that is made of."""

    kind: str
    message: str = ""
    field: str = ""
    violation: str = Violation.INVALID_VALUE.name
    number: float = 0.0


class _Line(msgspec.Struct, omit_defaults=True):
    """One of an event's forms."""

    delta: TextDelta | None = None
    transcript: Transcript | None = None
    failure: Failure | None = None


_ERRORS: Final[Mapping[str, Callable[[Failure], Exception]]] = {
    "Refused": lambda one: Refused(one.message, one.field, Violation[one.violation]),
    "InvalidMedia": lambda one: InvalidMedia(int(one.number), one.message),
    "NotCapable": lambda one: NotCapable(one.field),
    "InvalidRequest": lambda one: InvalidRequest(one.message),
    "Overloaded": lambda one: Overloaded(one.number),
    "EngineDied": lambda one: EngineDied(),
    "EngineStopped": lambda one: EngineStopped(one.message),
    "EngineBusy": lambda one: EngineBusy(one.message),
    "RequestAborted": lambda one: RequestAborted(one.message),
}
_decoder: Final = msgspec.json.Decoder(_Line)
_request_decoder: Final = msgspec.msgpack.Decoder(TranscriptionRequest)


def to_failure(error: Exception) -> Failure:
    """Return what of an error goes to the other process; one that is not named is a failure there too."""
    found = Failure("GenerationFailed", str(error))
    for kind in type(error).__mro__:
        if kind.__name__ in _ERRORS:
            found.kind = kind.__name__
            break
    if isinstance(error, Refused):
        found.field, found.violation = error.field, error.violation.name
    elif isinstance(error, InvalidMedia):
        found.message, found.number = error.reason, error.index
    elif isinstance(error, NotCapable):
        found.field = error.parameter
    elif isinstance(error, Overloaded):
        found.number = error.retry_after_s
    return found


def to_error(failure: Failure) -> Exception:
    """Return the error that a failure was made of."""
    make = _ERRORS.get(failure.kind)
    return GenerationFailed(failure.message) if make is None else make(failure)


class TranscriptsApp:
    """An application with a path at which processes of this server send sounds, and get their transcripts."""

    def __init__(self, app: ASGIApp, engine: Engine, settings: Settings) -> None:
        self._app = app
        self._requests = ActiveRequests(engine, ConcurrencyLimit(settings.max_concurrent_requests))
        self._workers = Workers(settings.validation_workers)
        self._transcriber = Transcriber(engine, self._workers, max_seconds=settings.max_transcription_seconds)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            try:
                await self._app(scope, receive, send)
            finally:
                self._workers.shutdown()
        elif scope["type"] == "http" and scope["path"] == PATH:
            await self._answer(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = _request_decoder.decode(await Request(scope, receive).body())
        await send({"type": "http.response.start", "status": 200, "headers": []})
        leaving = asyncio.ensure_future(receive())  # which returns once the other process has left
        async with aclosing(self._lines(request)) as lines:
            following = asyncio.ensure_future(anext(lines, None))
            try:
                while True:
                    done, _ = await asyncio.wait(
                        (following, leaving), timeout=_PULSE_S, return_when=asyncio.FIRST_COMPLETED
                    )
                    if leaving in done:
                        return
                    line = following.result() if done else b""
                    await send(
                        {
                            "type": "http.response.body",
                            "body": b"" if line is None else line + b"\n",
                            "more_body": line is not None,
                        }
                    )
                    if line is None:
                        return
                    if done:
                        following = asyncio.ensure_future(anext(lines, None))
            finally:
                leaving.cancel()
                following.cancel()
                await asyncio.gather(leaving, following, return_exceptions=True)

    async def _lines(self, request: TranscriptionRequest) -> AsyncGenerator[bytes, None]:
        try:
            with self._requests.open(time.perf_counter(), lambda error: error) as active:
                async with aclosing(self._transcriber.stream(active, request)) as events:
                    async for event in events:
                        if isinstance(event, TextDelta):
                            yield msgspec.json.encode(_Line(delta=event))
                        else:
                            yield msgspec.json.encode(_Line(transcript=event))
        except Exception as error:
            yield msgspec.json.encode(_Line(failure=to_failure(error)))


class RelayedTranscriber(Transcribes):
    """The engine's process as one that transcribes."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream

    @override
    async def transcribe(self, active: ActiveRequest, request: TranscriptionRequest) -> Transcript:
        """Return the whole transcript; see `Transcribes`."""
        async with aclosing(self.stream(active, request)) as events:
            async for event in events:
                if isinstance(event, Transcript):
                    return event
        raise AssertionError("a stream ends with a transcript")

    @override
    async def stream(
        self, active: ActiveRequest, request: TranscriptionRequest
    ) -> AsyncGenerator[TranscriptEvent, None]:
        """Yield the text as segments are certain, then the transcript; see `Transcribes`."""
        with active.permits("audio", 1, takes_turns=True):
            active.timing.validate()
            found: asyncio.Queue[TranscriptEvent | Exception] = asyncio.Queue()
            reading = asyncio.create_task(self._read(request, found.put_nowait))
            try:
                while True:
                    event = await found.get()
                    if isinstance(event, Exception):
                        raise event
                    if isinstance(event, Transcript):
                        usage = event.usage
                        active.count_relayed(usage.num_prompt_tokens, usage.num_output_tokens)
                    yield event
                    if isinstance(event, Transcript):
                        return
            finally:
                reading.cancel()
                with suppress(asyncio.CancelledError):
                    await reading

    async def _read(
        self, request: TranscriptionRequest, put: Callable[[TranscriptEvent | Exception], None]
    ) -> None:
        """Put the events of a transcript, of which the last is a Transcript or an error."""
        splitter = LineSplitter(_MAX_LINE_BYTES)
        is_over = False

        def feed(data: bytes) -> bool:
            nonlocal is_over
            for line in filter(None, splitter.feed(data)):
                found = _decoder.decode(line)
                if found.failure is not None:
                    put(to_error(found.failure))
                elif (event := found.delta or found.transcript) is not None:
                    put(event)
                is_over = found.delta is None
            return is_over

        try:
            async with self._upstream.post(PATH, msgspec.msgpack.encode(request)) as answer:
                await answer.stream(feed)
                await answer.rest()
            if not is_over:
                put(GenerationFailed("the engine's process ended the transcript early"))
        except NoAnswer as error:
            put(EngineBusy(f"the engine's process cannot be reached: {error}"))
        except (BadStatus, CutOff) as error:
            put(GenerationFailed(f"the engine's process broke off: {error}"))
