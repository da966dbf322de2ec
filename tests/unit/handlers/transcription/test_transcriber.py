"""The transcriber over an engine with a tiny model: its rules, its bounds, and how requests end."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from msgspec.structs import replace
from numpy.typing import NDArray

from engine.async_engine import AsyncEngine
from engine.port.errors import InvalidMedia, InvalidRequest, NotCapable
from engine.port.events import FinishReason, PromptToken, TokenEvent, TokenLogprob
from engine.port.request import (
    EmbeddingRequest,
    GenerationRequest,
    Pooling,
    Prompt,
    SamplingParams,
    StopConditions,
)
from engine.speech.reader import SpeechAudio
from handlers.concurrency.limit import ConcurrencyLimit, Overloaded
from handlers.transcription.chunks import PauseRules, speech_chunks
from handlers.transcription.decoding import WHISPERS_RULES, DecodingRules
from handlers.transcription.transcript import TextDelta, Transcript, TranscriptionRequest
from tests.support.samples.sounds import RATE, encoded, sound_bytes, tone
from tests.support.scripted.engine import Script, ScriptedEngine, says, token
from tests.support.tiny_models.speech import save_tiny_speech
from tests.support.transcripts import GREEDY, MAX_SECONDS, started, transcribe, transcribing
from tests.unit.engine.test_async_engine import assert_becomes_idle
from tests.unit.handlers.transcription.infos import INFO
from verbatim_kit.errors import Refused

SOUND = sound_bytes(2.0, seed=1)
LONG = sound_bytes(9.0, seed=2)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_speech(tmp_path_factory.mktemp("speech"))


@pytest.fixture(scope="module")
async def engine(directory: Path) -> AsyncIterator[AsyncEngine]:
    """Yield an engine for the tests that leave nothing in it."""
    async with started(directory) as engine:
        yield engine


def writes(*token_ids: int) -> Script:
    """Every window gives these tokens, the last of which ends it."""

    def script(request: GenerationRequest) -> Iterator[TokenEvent]:
        prompt = tuple(
            PromptToken(each, "", -1.0, (TokenLogprob(INFO.no_speech_id, "", -9.0, True),))
            for each in request.prompt.token_ids
        )
        for position, token_id in enumerate(token_ids):
            is_last = position == len(token_ids) - 1
            finish = FinishReason.END_TOKEN if is_last else None
            yield replace(token(request, position, "x"), token_id=token_id, finish=finish, prompt=prompt)

    return script


class ScriptedReader:
    """Reads every file as the same silence."""

    info = INFO

    def __init__(self, num_frames: int) -> None:
        self.sound = SpeechAudio(torch.zeros(16, num_frames), num_frames / 100, INFO.window_frames)

    def read(self, data: bytes, max_seconds: float) -> SpeechAudio:
        return self.sound

    def token_times(self, weights: NDArray[np.float32]) -> tuple[float, ...]:
        return tuple(0.0 for _ in weights[0])


async def test_results_that_are_not_good_enough_are_drawn_again_at_higher_temperatures(
    directory: Path,
) -> None:
    async with started(directory) as engine:
        options: dict[str, Any] = {"language": "en", "segments": True, "seed": 5}
        never_likely = WHISPERS_RULES._replace(min_avg_logprob=0.0, max_no_speech_prob=None)
        last = await transcribe(engine, SOUND, never_likely, **options)
        first = await transcribe(engine, SOUND, GREEDY, **options)
        assert {each.temperature for each in last.segments} == {1.0}
        assert {each.temperature for each in first.segments} == {0.0}
        assert last.usage.num_output_tokens > first.usage.num_output_tokens
        never_terse = GREEDY._replace(temperatures=(0.0, 0.5), max_compression_ratio=0.0)
        assert {
            each.temperature for each in (await transcribe(engine, SOUND, never_terse, **options)).segments
        } == {0.5}
        # A temperature that the request names is the only one; and the encoder has run once for all of these.
        named = await transcribe(engine, SOUND, never_likely, **options, temperature=0.7)
        assert {each.temperature for each in named.segments} == {0.7}
        assert engine._speech is not None
        windows = engine._speech.encoder
        assert windows.num_encoded < windows.cache.num_hits


async def test_an_unlikely_window_in_which_nobody_seems_to_speak_is_silence(directory: Path) -> None:
    async with started(directory) as engine:
        rules = DecodingRules((0.0, 1.0), None, 0.0, 0.0)
        found = await transcribe(engine, LONG, rules, language="en", segments=True, words=True)
        assert (found.text, found.segments, found.words) == ("", (), ())
        assert found.duration == pytest.approx(9.0)
        loud = await transcribe(engine, LONG, rules._replace(max_no_speech_prob=1.0), language="en")
        assert loud.text


async def test_a_seed_decides_what_is_drawn_whatever_else_runs(directory: Path) -> None:
    async with started(directory) as engine:
        options: dict[str, Any] = {"language": "en", "temperature": 1.0}
        alone = await transcribe(engine, SOUND, **options, seed=1)
        again, other, *_ = await asyncio.gather(
            *(transcribe(engine, SOUND, **options, seed=seed) for seed in (1, 2, 3, 4))
        )
        assert again == alone
        assert other.text != alone.text


async def test_a_stream_gives_the_text_in_parts_and_then_the_transcript(directory: Path) -> None:
    async with started(directory) as engine:
        async with transcribing(engine) as (transcriber, active):
            request = TranscriptionRequest(audio=LONG, language="en", segments=True)
            events = [event async for event in transcriber.stream(active, request)]
        whole = await transcribe(engine, LONG, language="en", segments=True)
    *deltas, last = events
    assert last == whole
    texts = [delta.text for delta in deltas if isinstance(delta, TextDelta)]
    assert len(texts) == len(deltas) > 1
    assert "".join(texts) == whole.text == "".join(each.text for each in whole.segments).strip()


@pytest.mark.parametrize(
    "options",
    [
        {"segments": True},
        *(pytest.param(options, marks=pytest.mark.long) for options in ({}, {"pauses": PauseRules()})),
    ],
    ids=str,
)
async def test_the_scored_tokens_of_a_stream_are_those_of_the_transcript(
    directory: Path, options: dict[str, Any]
) -> None:
    async with started(directory) as engine:
        async with transcribing(engine) as (transcriber, active):
            request = TranscriptionRequest(audio=LONG, language="en", logprobs=True, **options)
            events = [event async for event in transcriber.stream(active, request)]
        plain = await transcribe(engine, LONG, language="en", **options)
    *deltas, last = events
    assert isinstance(last, Transcript)
    assert (last.text, plain.tokens) == (plain.text, ())
    assert all(isinstance(delta, TextDelta) and delta.tokens for delta in deltas)
    assert last.tokens == tuple(
        each for delta in deltas if isinstance(delta, TextDelta) for each in delta.tokens
    )
    assert len(deltas) > 1
    assert b"".join(token.bytes for token in last.tokens).decode(errors="replace").strip() == last.text
    assert all(token.logprob <= 0 for token in last.tokens)


async def test_closing_a_stream_or_cancelling_its_task_frees_all(directory: Path) -> None:
    limit = ConcurrencyLimit(8)
    async with started(directory) as engine:
        request = TranscriptionRequest(audio=LONG, language="en", words=True)
        async with (
            transcribing(engine, limit=limit) as (transcriber, active),
            aclosing(transcriber.stream(active, request)) as events,
        ):
            assert isinstance(await anext(events), TextDelta)
            assert limit.in_use == 1
        assert limit.in_use == 0
        await assert_becomes_idle(engine)

        async def run() -> None:
            async with transcribing(engine, limit=limit) as (transcriber, active):
                await transcriber.transcribe(active, request)

        for delay in (0.0, 0.02, 0.08):  # before, at and after its beginning
            task = asyncio.create_task(run())
            await asyncio.sleep(delay)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert limit.in_use == 0
        await assert_becomes_idle(engine)
        assert (await transcribe(engine, SOUND, language="en")).text


async def test_a_transcript_holds_one_permit_until_its_end(directory: Path) -> None:
    limit = ConcurrencyLimit(1)
    async with started(directory) as engine:
        request = TranscriptionRequest(audio=LONG, language="en")
        async with transcribing(engine, limit=limit) as (transcriber, active):
            seen = set()
            async for event in transcriber.stream(active, request):
                seen.add(limit.in_use)
                if isinstance(event, TextDelta):
                    with pytest.raises(Overloaded):
                        async with transcribing(engine, limit=limit) as (other, another):
                            await other.transcribe(another, request)
        assert seen == {1}
        assert limit.in_use == 0


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"language": "klingon"}, "language"),
        ({"language": ""}, "language"),
        ({"language": "es"}, "language"),  # one of Whisper's, and none of this model's
        ({"prompt": "so far <|startoftranscript|>"}, "prompt"),
        ({"prompt": "<|0.00|> Hello"}, "prompt"),
    ],
)
async def test_what_the_model_has_not_is_refused_by_the_name_of_its_field(
    engine: AsyncEngine, options: dict[str, Any], field: str
) -> None:
    with pytest.raises(Refused) as raised:
        await transcribe(engine, SOUND, **options)
    assert raised.value.field == field


async def test_a_model_of_english_alone_neither_translates_nor_knows_times_of_words(tmp_path: Path) -> None:
    directory = save_tiny_speech(tmp_path, is_multilingual=False, alignment_heads=None)
    async with started(directory) as engine:
        for options in ({"translate": True}, {"words": True}, {"language": "de"}):
            with pytest.raises(Refused) as raised:
                await transcribe(engine, SOUND, **options)
            assert raised.value.field == next(iter(options))
        assert (await transcribe(engine, SOUND, language="English")).language == "en"
        assert engine.speech is not None
        with pytest.raises(NotCapable):
            await engine.align(engine.speech.read(SOUND, 60).window(0, 100), [1])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"no sound", "the file is no sound"),
        (b"", "the file is no sound"),
        (sound_bytes(MAX_SECONDS + 1), "more than 60 seconds"),
        (sound_bytes(0.004), "the sound is empty"),
    ],
)
async def test_a_file_that_is_no_sound_or_too_long_is_refused(
    engine: AsyncEngine, data: bytes, reason: str
) -> None:
    with pytest.raises(InvalidMedia, match=reason):
        await transcribe(engine, data)
    await assert_becomes_idle(engine)


async def test_a_sound_takes_a_bounded_number_of_windows() -> None:
    # A model that ends each part after two hundredths of a second.
    first = INFO.first_timestamp_id
    engine = ScriptedEngine(writes(first, 1, first + 1, first + 1, 2, INFO.end_id))
    engine.speech = ScriptedReader(num_frames=900)
    found = await transcribe(engine, b"", language="en", segments=True)
    assert 4 * 3 < len(engine.requests) <= 4 * 3 + 3
    assert [each.start for each in found.segments[:3]] == [0.0, 0.02, 0.04]
    assert found.segments[-1].end > 6


def by_turns(*num_frames: int) -> SpeechAudio:
    """Return a sound that is loud for so many frames and silent for so many, by turns."""
    parts = [torch.full((16, length), 1.0 - 2 * (place % 2)) for place, length in enumerate(num_frames)]
    features = torch.cat(parts, dim=1)
    return SpeechAudio(features, features.shape[1] / 100, INFO.window_frames)


def window_of(request: GenerationRequest) -> torch.Tensor:
    """Return the features that a request hears."""
    window = request.prompt.media[0].features["window"]
    assert isinstance(window, torch.Tensor)
    return window


async def test_the_chunks_of_a_sound_are_heard_one_after_the_other_without_the_pauses() -> None:
    # Windows of 300 frames: the first two stretches fit one, the last takes two.
    sound = by_turns(80, 50, 80, 500, 400, 100)
    engine = ScriptedEngine(writes(1, INFO.end_id))
    reader = ScriptedReader(num_frames=1)
    reader.sound = sound
    engine.speech = reader
    rules = PauseRules(prefix_padding_ms=100, silence_duration_ms=300)
    found = await transcribe(engine, b"", language="en", pauses=rules)
    first, second, third = map(window_of, engine.requests)
    silence = torch.zeros(16, 300)
    assert torch.equal(first[:, :240], sound.features[:, :240])
    assert torch.equal(first[:, 240:], silence[:, 240:])
    assert torch.equal(second, sound.features[:, 700:1000])
    assert torch.equal(third[:, :140], sound.features[:, 1000:1140])
    assert torch.equal(third[:, 140:], silence[:, 140:])
    # A chunk that is one window is asked for no timestamps, a longer one is.
    are_without = [INFO.no_timestamps_id in request.prompt.token_ids for request in engine.requests]
    assert are_without == [True, False, False]
    assert found.duration == 12.1
    # What is written goes on from what was.
    assert [len(request.prompt.token_ids) for request in engine.requests[1:]] == [5, 6]


async def test_times_of_a_chunk_are_those_of_the_sound() -> None:
    first = INFO.first_timestamp_id
    engine = ScriptedEngine(writes(first + 10, 1, first + 40, INFO.end_id))
    reader = ScriptedReader(num_frames=1)
    reader.sound = by_turns(80, 500, 100)
    engine.speech = reader
    rules = PauseRules(prefix_padding_ms=100)
    found = await transcribe(engine, b"", language="en", pauses=rules, segments=True)
    assert [(segment.start, segment.end) for segment in found.segments] == [(0.0, 0.8), (5.7, 6.5)]


async def test_a_real_sound_is_divided_by_its_levels(directory: Path) -> None:
    parts = [tone(0.8), np.zeros(RATE * 6, np.float32), tone(1.5)]
    data = encoded(np.concatenate(parts))
    async with started(directory) as engine:
        found = await transcribe(engine, data, language="en", pauses=PauseRules())
        whole = await transcribe(engine, data, language="en")
        reader = engine.speech
        assert reader is not None
        chunks = speech_chunks(reader.read(data, 60).levels(), PauseRules(), 100, 300)
    (first, second) = chunks
    assert (first.start, second.end) == (0, 830)
    assert first.end == pytest.approx(100, abs=3)
    assert second.start == pytest.approx(650, abs=3)
    assert found.duration == whole.duration
    # Each chunk is a window of its own, and is asked for no timestamps.
    assert found.text
    assert 0 < found.usage.num_prompt_tokens < whole.usage.num_prompt_tokens


async def test_a_model_that_transcribes_continues_no_text(directory: Path) -> None:
    async with started(directory) as engine:
        assert engine.capabilities.transcribes
        assert not engine.capabilities.generates_text
        request = GenerationRequest(
            request_id="1",
            prompt=Prompt((1, 2)),
            sampling=SamplingParams(temperature=0.0),
            stopping=StopConditions(max_tokens=1),
        )
        with pytest.raises(InvalidRequest, match="only transcribes audio"):
            await anext(engine.submit(request))
        with pytest.raises(InvalidRequest, match="only transcribes audio"):
            await engine.embed(EmbeddingRequest(request_id="2", prompt=Prompt((1, 2)), pooling=Pooling.MEAN))


async def test_an_engine_of_texts_transcribes_nothing() -> None:
    with pytest.raises(NotCapable):
        await transcribe(ScriptedEngine(says("no")), SOUND)


async def test_a_transcript_knows_its_cost(directory: Path) -> None:
    async with started(directory) as engine:
        found = await transcribe(engine, SOUND, language="en")
    assert isinstance(found, Transcript)
    assert found.usage.seconds == found.duration == pytest.approx(2.0)
    assert found.usage.num_prompt_tokens == 4
    assert found.usage.num_output_tokens > 0
