"""The windows of one sound, which become a transcript one after another."""

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from math import ceil
from typing import Final

from engine.port.engine import Engine
from engine.port.info.speech_info import ENGLISH, SECONDS_PER_TIMESTAMP, Audio, SpeechInfo, SpeechReader
from handlers.concurrency.workers import Workers
from handlers.transcription.chunks import Chunk, speech_chunks
from handlers.transcription.decoding import (
    DecodedWindow,
    DecodingRules,
    WindowDecoder,
    WindowTask,
    text_of,
)
from handlers.transcription.parts import Part, split_window, whole_window
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
from handlers.transcription.words import split_words

# Windows that a sound may take for each that it fills; beyond, each begins where the one before ends, since a
# model that ends its parts after hundredths of a second would take hours.
_MAX_REPEATS: Final = 4


class Windows:
    """The windows of one sound, each from where the last whole part before it ends."""

    def __init__(
        self,
        engine: Engine,
        workers: Workers,
        decoder: WindowDecoder,
        request: TranscriptionRequest,
        audio: Audio,
        reader: SpeechReader,
        rules: DecodingRules,
    ) -> None:
        """Decode nothing yet. decoder: of this request. reader: has read the sound."""
        self._engine = engine
        self._workers = workers
        self._decoder = decoder
        self._request = request
        self._audio = audio
        self._reader = reader
        self._info = reader.info
        self._rules = rules
        self._text = _JoinedText()
        self._segments: list[Segment] = []
        self._words: list[Word] = []
        self._tokens: list[ScoredToken] = []
        self._history: list[int] = []
        self._code: str | None = None

    async def events(self, language: str | None, prompt: list[int]) -> AsyncGenerator[TranscriptEvent, None]:
        """Yield the text, then the transcript. prompt: the tokens before the first window's."""
        self._history = prompt
        self._code = ENGLISH if not self._info.languages else language
        for chunk in await self._workers.compute(self._chunks):
            async with aclosing(self._chunk_deltas(chunk)) as deltas:
                async for delta in deltas:
                    yield delta
        yield self._transcript(self._code or ENGLISH)

    def _chunks(self) -> list[Chunk]:
        rules, info = self._request.pauses, self._info
        if rules is None:
            return [Chunk(0, self._audio.num_frames)]
        return speech_chunks(self._audio.levels(), rules, info.frames_per_second, info.window_frames)

    async def _chunk_deltas(self, chunk: Chunk) -> AsyncGenerator[TextDelta, None]:
        """Yield the text of one chunk, window after window."""
        info = self._info
        is_long = chunk.end - chunk.start > info.window_frames
        has_timestamps = is_long or self._request.segments or self._request.words
        start, num_windows = chunk.start, 0
        max_windows = _MAX_REPEATS * ceil((chunk.end - chunk.start) / info.window_frames)
        while start < chunk.end:
            window = await self._workers.compute(self._audio.window, start, chunk.end)
            if self._code is None:
                self._code = await self._decoder.language(window)
            prompt = self._prompt(self._code, self._history, has_timestamps=has_timestamps)
            task = WindowTask(prompt, window, has_timestamps)
            decoded = await self._decoder.decode(task)
            num_frames = min(chunk.end - start, info.window_frames)
            num_windows += 1
            if not decoded.is_silence:
                token_ids = _without_end(decoded.token_ids, info)
                split_into_parts = split_window if has_timestamps else whole_window
                split = split_into_parts(token_ids, info, num_frames)
                new = list(self._new_segments(start, decoded, token_ids, split.parts))
                if self._request.words:
                    parts = [part for part, _ in new]
                    await self._add_words(task, decoded, start, num_frames, self._code, parts)
                for part, segment in new:
                    self._segments.append(segment)
                    tokens = self._scored(decoded, part)
                    self._tokens += tokens
                    if delta := self._text.add(segment.text):
                        yield TextDelta(delta, tokens)
                added = [token_id for _, segment in new for token_id in segment.token_ids]
                self._history = self._next_history(self._history, added, decoded)
                num_frames = split.num_frames if num_windows < max_windows else num_frames
            start += num_frames

    def _scored(self, decoded: DecodedWindow, part: Part) -> tuple[ScoredToken, ...]:
        """Return the tokens of a part's text, if they are asked for."""
        if not self._request.logprobs:
            return ()
        spell = self._engine.tokenizer.token_bytes
        return tuple(
            ScoredToken(spell(decoded.token_ids[place]), decoded.logprobs[place])
            for place in self._text_places(decoded, part)
        )

    def _text_places(self, decoded: DecodedWindow, part: Part) -> list[int]:
        """Return the places of those tokens of a part that are text."""
        is_special, ids = self._engine.tokenizer.is_special, decoded.token_ids
        return [
            place
            for place in range(part.first, part.end)
            if ids[place] < self._info.end_id and not is_special(ids[place])
        ]

    def _prompt(self, code: str, history: Sequence[int], *, has_timestamps: bool) -> tuple[int, ...]:
        info = self._info
        ids: list[int] = []
        if history and info.previous_id is not None:
            ids += [info.previous_id, *history[-(info.num_positions // 2 - 1) :]]
        ids.append(info.start_id)
        if info.languages:
            task = info.translate_id if self._request.translate else info.transcribe_id
            assert task is not None, "a model of several languages has both tasks"
            ids += [info.languages[code], task]
        if not has_timestamps:
            ids.append(info.no_timestamps_id)
        return tuple(ids)

    def _next_history(self, history: list[int], added: list[int], decoded: DecodedWindow) -> list[int]:
        """Return the tokens so far as the prompt of the next window.

        What was drawn at a high temperature is no good example, as Whisper's own program has it.
        """
        if not self._rules.is_conditioned or decoded.temperature > 0.5:
            return []
        return history + added

    def _new_segments(
        self, start: int, decoded: DecodedWindow, token_ids: Sequence[int], parts: Sequence[Part]
    ) -> Iterator[tuple[Part, Segment]]:
        """Yield the parts of a window that have a text and take time, as segments."""
        offset = start / self._info.frames_per_second
        number = len(self._segments)
        for part in parts:
            ids = tuple(token_ids[part.first : part.end])
            text = text_of(ids, self._info, self._engine.tokenizer)
            if not text.strip() or part.end_step <= part.start_step:
                continue
            yield (
                part,
                Segment(
                    id=number,
                    start=round(offset + part.start_step * SECONDS_PER_TIMESTAMP, 2),
                    end=round(offset + part.end_step * SECONDS_PER_TIMESTAMP, 2),
                    text=text,
                    token_ids=ids,
                    temperature=decoded.temperature,
                    avg_logprob=decoded.avg_logprob,
                    compression_ratio=decoded.compression_ratio,
                    no_speech_prob=decoded.no_speech_prob,
                ),
            )
            number += 1

    async def _add_words(
        self,
        task: WindowTask,
        decoded: DecodedWindow,
        start: int,
        num_frames: int,
        code: str,
        parts: Sequence[Part],
    ) -> None:
        """Find the words of a window's parts, and when they are spoken."""
        if not parts:
            return
        # The last token is attended to by nothing, as it is fed to nothing.
        fed = decoded.token_ids[:-1]
        weights = await self._engine.align(task.window, (*task.prompt, *fed))
        heard = weights[:, len(task.prompt) :, : num_frames // self._info.frames_per_timestamp]
        times = await self._workers.compute(self._reader.token_times, heard)
        times = (*times, times[-1] if times else 0.0)
        offset = start / self._info.frames_per_second
        tokenizer = self._engine.tokenizer
        for part in parts:
            places = self._text_places(decoded, part)
            spelled = [tokenizer.token_bytes(decoded.token_ids[place]) for place in places]
            for word in split_words(spelled, code):
                if text := word.text.strip():
                    begin, after = places[word.first], places[word.end - 1] + 1
                    last = times[min(after, len(times) - 1)]
                    self._words.append(Word(text, round(offset + times[begin], 2), round(offset + last, 2)))

    def _transcript(self, code: str) -> Transcript:
        counts = self._decoder.counts
        return Transcript(
            text=self._text.text,
            language=code,
            duration=self._audio.duration,
            segments=tuple(self._segments) if self._request.segments else (),
            words=tuple(self._words),
            tokens=tuple(self._tokens),
            usage=TranscriptUsage(self._audio.duration, counts.num_prompt_tokens, counts.num_output_tokens),
        )


class _JoinedText:
    """The texts of segments joined, without blanks around the whole."""

    def __init__(self) -> None:
        self.text = ""
        self._blanks = ""

    def add(self, text: str) -> str:
        """Return what a segment adds; blanks at its end wait for the next."""
        new = self._blanks + text if self.text else text.lstrip()
        kept = new.rstrip()
        self._blanks = new[len(kept) :]
        self.text += kept
        return kept


def _without_end(token_ids: Sequence[int], info: SpeechInfo) -> Sequence[int]:
    return token_ids[:-1] if token_ids[-1:] == (info.end_id,) else token_ids
