"""Transcripts by another process of the server: the same as by the engine's own, and the same refusals."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from math import inf, isnan, nan
from typing import Any, NamedTuple

import msgspec
import pytest
import pytest_asyncio
from starlette.types import Receive, Scope, Send

from engine.async_engine import AsyncEngine
from engine.port.errors import (
    EngineBusy,
    EngineDied,
    EngineError,
    EngineStopped,
    GenerationFailed,
    InvalidMedia,
    InvalidRequest,
    NotCapable,
    NotFinite,
    RequestAborted,
)
from engine.remote.client.upstream import Upstream
from handlers.active_requests.active_request import ActiveRequest, ActiveRequests
from handlers.concurrency.limit import ConcurrencyLimit, Overloaded
from handlers.serving.api_workers import relayed_transcriber, transcripts_app
from handlers.serving.api_workers.relayed_transcriber import RelayedTranscriber
from handlers.serving.api_workers.transcript_lines import PATH, LineReader, to_lines
from handlers.serving.api_workers.transcripts_app import TranscriptsApp
from handlers.settings.settings import Settings
from handlers.transcription.chunks import PauseRules
from handlers.transcription.decoding import WHISPERS_RULES
from handlers.transcription.transcript import (
    ScoredToken,
    Segment,
    TextDelta,
    Transcript,
    TranscriptEvent,
    TranscriptionRequest,
    TranscriptUsage,
    Word,
)
from tests.support.clocks.until import until
from tests.support.samples.sounds import sound_bytes
from tests.support.servers.running_app import running_app
from tests.support.tiny_models.speech import save_tiny_speech
from tests.support.transcripts import started, transcribing
from verbatim_kit.errors import Refused, Violation

pytestmark = pytest.mark.asyncio(loop_scope="module")

SOUND = sound_bytes(2.0, seed=1)
LONG = sound_bytes(5.0, seed=2)
DRAWN: dict[str, Any] = {"language": "en", "temperature": 1.0}  # each window once


def reread(event: TranscriptEvent | Exception) -> TranscriptEvent | Exception:
    """Return what the other side makes of an event."""
    lines = LineReader()
    *ahead, last = map(lines.read, to_lines(event))
    assert ahead == [None] * len(ahead) and last is not None
    return last


async def no_app(scope: Scope, receive: Receive, send: Send) -> None:
    raise AssertionError("another path was asked")


class Relay(NamedTuple):
    """own: the engine that computes. transcriber: asks it by a socket. limit: of the process in front."""

    own: AsyncEngine
    transcriber: RelayedTranscriber
    limit: ConcurrencyLimit

    def opened(self) -> ActiveRequest:
        return ActiveRequests(self.own, self.limit).open(time.perf_counter(), lambda error: error)


@asynccontextmanager
async def relayed(engine: AsyncEngine) -> AsyncIterator[Relay]:
    app = TranscriptsApp(no_app, engine, Settings())
    async with running_app(app) as url:
        upstream = Upstream(url, api_key=None, timeout_s=60)
        try:
            yield Relay(engine, RelayedTranscriber(upstream), ConcurrencyLimit(8))
        finally:
            await upstream.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def relay(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Relay]:
    directory = save_tiny_speech(tmp_path_factory.mktemp("speech"))
    async with started(directory) as engine, relayed(engine) as found:
        yield found


async def becomes_free(relay: Relay) -> None:
    def is_free() -> bool:
        stats = relay.own.stats()
        return not (stats.num_running or stats.num_waiting or relay.limit.in_use)

    await until(is_free)


@pytest.mark.parametrize(
    "options",
    [
        # Again at higher temperatures.
        pytest.param({"audio": SOUND, "segments": True, "words": True}, marks=pytest.mark.long),
        {"translate": True, "prompt": "abc", "temperature": 1.0},
        DRAWN,
        {**DRAWN, "logprobs": True, "pauses": PauseRules(threshold=0.2)},
    ],
    ids=["words", "a translation", "a seed", "scored tokens of chunks"],
)
async def test_a_transcript_is_that_of_the_engines_own_process(relay: Relay, options: dict[str, Any]) -> None:
    request = TranscriptionRequest(**{"audio": LONG, "seed": 7, **options})
    async with transcribing(relay.own, WHISPERS_RULES) as (transcriber, active):
        expected = [event async for event in transcriber.stream(active, request)]
    with relay.opened() as active:
        found = [event async for event in relay.transcriber.stream(active, request)]
        assert active.timing.num_generated_tokens > 0
        assert isinstance(found[-1], Transcript)
        assert active.timing.num_prompt_tokens == found[-1].usage.num_prompt_tokens
    assert found == expected
    assert len(found) > 1 and found[-1].text
    assert all(bool(event.tokens) == request.logprobs for event in found)
    with relay.opened() as active:
        assert await relay.transcriber.transcribe(active, request) == expected[-1]


async def test_closing_a_stream_frees_the_engine(relay: Relay) -> None:
    request = TranscriptionRequest(audio=LONG, words=True, **DRAWN)
    with relay.opened() as active:
        async with aclosing(relay.transcriber.stream(active, request)) as events:
            assert isinstance(await anext(events), TextDelta)
            assert relay.limit.in_use == 1
    await becomes_free(relay)


@pytest.mark.parametrize("moment", ["before it is sent", "while it is computed", "with its first text"])
async def test_cancelling_a_transcripts_task_frees_the_engine(
    relay: Relay, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = TranscriptionRequest(audio=LONG, words=True, **DRAWN)

    async def run() -> None:
        with relay.opened() as active:
            await relay.transcriber.transcribe(active, request)

    task = asyncio.create_task(run())

    def read_and_cancel(lines: LineReader, line: bytes) -> TranscriptEvent | Exception | None:
        event = read(lines, line)
        assert isinstance(event, TextDelta), "it is not the last one"
        task.cancel()
        return event

    if moment == "with its first text":
        read = LineReader.read
        monkeypatch.setattr(LineReader, "read", read_and_cancel)
    else:
        await asyncio.sleep(0)
        while moment == "while it is computed" and not relay.own.stats().num_running:
            assert not task.done()
            await asyncio.sleep(0)
        assert relay.limit.in_use == 1
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 60)
    await becomes_free(relay)


@pytest.mark.parametrize(
    "request_, field",
    [
        (TranscriptionRequest(audio=SOUND, language="klingon"), "language"),
        (TranscriptionRequest(audio=SOUND, prompt="<|0.00|> Hello"), "prompt"),
    ],
    ids=["a language", "a prompt"],
)
async def test_what_the_model_has_not_is_refused_by_the_name_of_its_field(
    relay: Relay, request_: TranscriptionRequest, field: str
) -> None:
    with relay.opened() as active:
        with pytest.raises(Refused) as raised:
            await relay.transcriber.transcribe(active, request_)
        assert raised.value.field == field


async def test_a_file_that_is_no_sound_is_refused(relay: Relay) -> None:
    with relay.opened() as active, pytest.raises(InvalidMedia, match="the file is no sound"):
        await relay.transcriber.transcribe(active, TranscriptionRequest(audio=b"no sound"))


@pytest.mark.parametrize(
    "error",
    [
        Refused("no", "words", Violation.UNSUPPORTED_VALUE),
        InvalidMedia(2, "it is too long"),
        NotCapable("audio"),
        InvalidRequest("an id"),
        Overloaded(7.0),
        EngineDied(),
        EngineStopped("the engine stops"),
        EngineBusy("no room"),
        RequestAborted("aborted"),
        GenerationFailed("failed"),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_errors_are_the_same_on_the_other_side(error: Exception) -> None:
    found = reread(error)
    assert type(found) is type(error)
    assert (str(found), vars(found)) == (str(error), vars(error))


async def test_an_error_of_no_name_there_is_one_of_its_kind() -> None:
    for error in (NotFinite("NaN"), ZeroDivisionError("a bug")):
        assert type(reread(error)) is GenerationFailed


async def test_a_process_that_is_gone_fails_the_request(relay: Relay) -> None:
    async with relayed(relay.own) as other:
        pass
    with other.opened() as active, pytest.raises(EngineError):
        await other.transcriber.transcribe(active, TranscriptionRequest(audio=SOUND))


@pytest.mark.parametrize(
    "answer", [b"x" * 1000, b"{}\n", b"!\n", next(to_lines(TextDelta("a")))[:-5] + b"\n"], ids=range(4)
)
async def test_what_is_no_transcript_fails_the_request_and_holds_nobody(
    relay: Relay, answer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relayed_transcriber, "_MAX_LINE_BYTES", 500)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": answer})

    async with running_app(app) as url:
        upstream = Upstream(url, api_key=None, timeout_s=60)
        transcriber = RelayedTranscriber(upstream)
        request = TranscriptionRequest(audio=SOUND)
        with relay.opened() as active, pytest.raises(GenerationFailed):
            await asyncio.wait_for(transcriber.transcribe(active, request), 30)
        unwritable = TranscriptionRequest(audio=SOUND, prompt="\ud800")
        with relay.opened() as active, pytest.raises(GenerationFailed):
            await asyncio.wait_for(transcriber.transcribe(active, unwritable), 30)
        await upstream.close()


async def test_a_long_transcript_comes_whole_in_lines_that_hold_no_other_request_up(relay: Relay) -> None:
    num = 2_500
    segment = Segment(0, 0.0, 2.0, " Yes, it is.", (50364, *range(20), 50464), 0.0, -0.5, 1.2, 0.1)
    transcript = Transcript(
        text="Yes, it is." * num,
        language="en",
        duration=2.0 * num,
        segments=(segment,) * num,
        words=tuple(Word("Yes", second, second + 0.5) for second in range(num)),
        usage=TranscriptUsage(2.0 * num, 4, 20 * num),
        tokens=tuple(ScoredToken(b"Yes", -second / 8) for second in range(num)),
    )
    lines = list(to_lines(transcript))
    assert max(map(len, lines)) < 300_000, "some milliseconds"

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"\n".join([*lines, b""])})

    async with running_app(app) as url:
        upstream = Upstream(url, api_key=None, timeout_s=60)
        with relay.opened() as active:
            request = TranscriptionRequest(audio=SOUND, words=True)
            assert await RelayedTranscriber(upstream).transcribe(active, request) == transcript
        await upstream.close()


async def test_numbers_that_are_not_finite_are_the_same_on_the_other_side() -> None:
    event = TextDelta("a", (ScoredToken(b"a", -inf),))
    assert reread(event) == event
    (token,) = reread(TextDelta("a", (ScoredToken(b"a", nan),))).tokens  # type: ignore[union-attr]  # it is a delta
    assert isnan(token.logprob)


async def test_a_window_may_take_longer_than_the_engine_may_be_silent(
    relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcripts_app, "_PULSE_S", 0.01)
    sent: list[bytes] = []

    async def send(message: Any) -> None:
        sent.append(message.get("body", b""))

    bodies = [msgspec.msgpack.encode(TranscriptionRequest(audio=LONG, seed=1, **DRAWN))]

    async def receive() -> Any:
        if bodies:
            return {"type": "http.request", "body": bodies.pop(), "more_body": False}
        await asyncio.Event().wait()

    app = TranscriptsApp(no_app, relay.own, Settings())
    await app({"type": "http", "path": PATH, "method": "POST", "headers": []}, receive, send)
    assert b"\n" in sent
    lines = LineReader()
    *_, last = map(lines.read, b"".join(sent).split())
    assert isinstance(last, Transcript)
