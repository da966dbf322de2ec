"""The transcriber of an API worker, which relays requests to the engine process."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from typing import Final

import msgspec
from typing_extensions import override

from engine.port.errors import EngineBusy, GenerationFailed
from engine.remote.client.failures import BadStatus, CutOff, NoAnswer
from engine.remote.client.upstream import Upstream
from engine.remote.sse import LineSplitter
from handlers.active_requests.active_request import ActiveRequest
from handlers.serving.api_workers.transcript_lines import PATH, LineReader
from handlers.transcription.transcript import (
    TextDelta,
    Transcribes,
    Transcript,
    TranscriptEvent,
    TranscriptionRequest,
)

_MAX_LINE_BYTES: Final = 16 * 2**20  # a text; its parts come in lines of their own

_log = logging.getLogger(__name__)


class RelayedTranscriber(Transcribes):
    """A transcriber that relays requests to the engine process."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream

    @override
    async def transcribe(self, active: ActiveRequest, request: TranscriptionRequest) -> Transcript:
        """Return the complete transcript; see `Transcribes`."""
        async with aclosing(self.stream(active, request)) as events:
            async for event in events:
                if isinstance(event, Transcript):
                    return event
        raise AssertionError("a stream ends with a transcript")

    @override
    async def stream(
        self, active: ActiveRequest, request: TranscriptionRequest
    ) -> AsyncGenerator[TranscriptEvent, None]:
        """Yield text as soon as segments are final, then the transcript; see `Transcribes`."""
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
        """Read a transcript's events and pass them to `put`; the last is a Transcript or an error."""
        splitter, lines = LineSplitter(_MAX_LINE_BYTES), LineReader()
        is_over = False
        try:
            async with self._upstream.post(PATH, msgspec.msgpack.encode(request)) as answer:
                while not is_over and (data := await answer.read()):
                    for line in filter(None, splitter.feed(data)):
                        if (event := lines.read(line)) is not None:
                            put(event)
                            is_over = not isinstance(event, TextDelta)
                await answer.rest()
            if not is_over:
                put(GenerationFailed("the engine process ended the transcript early"))
        except NoAnswer as error:
            put(EngineBusy(f"the engine process cannot be reached: {error}"))
        except (BadStatus, CutOff) as error:
            put(GenerationFailed(f"the engine process failed: {error}"))
        except Exception:  # otherwise the reader of the events would wait forever
            _log.exception("a transcript failed because of a bug")
            put(GenerationFailed("the transcript failed"))
