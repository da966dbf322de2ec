"""Transcripts by an engine in tests, without a server."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from engine.async_engine import AsyncEngine
from engine.port.engine import Engine
from handlers.active_requests.active_request import ActiveRequest, ActiveRequests
from handlers.concurrency.limit import ConcurrencyLimit
from handlers.concurrency.workers import Workers
from handlers.transcription.decoding import DecodingRules
from handlers.transcription.transcriber import Transcriber
from handlers.transcription.transcript import Transcript, TranscriptionRequest
from tests.support.tiny_models.config import tiny_config

# One greedy result of each window, whatever it is.
GREEDY: Final = DecodingRules((0.0,), None, None, None)
MAX_SECONDS: Final = 60.0


@asynccontextmanager
async def started(directory: Path, **config: Any) -> AsyncIterator[AsyncEngine]:
    """Run the model of a directory in float32."""
    engine = await AsyncEngine.start(tiny_config(directory, dtype="float32", **config))
    try:
        yield engine
    finally:
        await engine.stop()


@asynccontextmanager
async def transcribing(
    engine: Engine, rules: DecodingRules = GREEDY, *, limit: ConcurrencyLimit | None = None
) -> AsyncIterator[tuple[Transcriber, ActiveRequest]]:
    """Open one request to a transcriber."""
    workers = Workers(1)
    try:
        transcriber = Transcriber(engine, workers, max_seconds=MAX_SECONDS, rules=rules)
        requests = ActiveRequests(engine, limit or ConcurrencyLimit(8))
        with requests.open(time.perf_counter(), lambda error: error) as active:
            yield transcriber, active
    finally:
        workers.shutdown()


async def transcribe(
    engine: Engine, data: bytes, rules: DecodingRules = GREEDY, **options: Any
) -> Transcript:
    """Return the transcript of a file. options: of `TranscriptionRequest`."""
    async with transcribing(engine, rules) as (transcriber, active):
        return await transcriber.transcribe(active, TranscriptionRequest(audio=data, **options))
