"""The transcription of audio by the engine, for every contract that serves it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from typing_extensions import override

from engine.port.engine import Engine
from engine.port.errors import NotCapable
from engine.port.info.speech_info import ENGLISH, SpeechInfo
from handlers.active_requests.active_request import ActiveRequest
from handlers.concurrency.workers import Workers
from handlers.served_model.request_values import draw_seed
from handlers.transcription.decoding import WHISPERS_RULES, DecodingRules, WindowDecoder
from handlers.transcription.transcript import (
    Transcribes,
    Transcript,
    TranscriptEvent,
    TranscriptionRequest,
)
from handlers.transcription.windows import Windows
from verbatim_kit.errors import Refused, Violation

# The end of a prompt that is looked at; far more than the tokens of it that a window's prompt has.
_MAX_PROMPT_CHARACTERS: Final = 16_384
# Audio whose features are in memory at once; others wait.
_MAX_AUDIO: Final = 16
_UNSUPPORTED: Final = Violation.UNSUPPORTED_VALUE


class Transcriber(Transcribes):
    """The served model as one that transcribes."""

    def __init__(
        self,
        engine: Engine,
        workers: Workers,
        *,
        max_seconds: float,
        rules: DecodingRules = WHISPERS_RULES,
    ) -> None:
        """Make a transcriber over an engine. max_seconds: the longest sound, in seconds."""
        self._engine = engine
        self._workers = workers
        self._max_seconds = max_seconds
        self._rules = rules
        self._places = asyncio.Semaphore(_MAX_AUDIO)

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
        reader = self._engine.speech
        if reader is None:
            raise NotCapable("audio")
        language = _language(request, reader.info)
        prompt = await self._prompt(request.prompt, reader.info)
        with active.permits("audio", 1, takes_turns=True):
            async with self._places:
                audio = await self._workers.compute(reader.read, request.audio, self._max_seconds)
                decoder = WindowDecoder(
                    active,
                    self._engine.tokenizer,
                    reader.info,
                    self._rules,
                    temperature=request.temperature,
                    seed=draw_seed() if request.seed is None else request.seed,
                )
                windows = Windows(self._engine, self._workers, decoder, request, audio, reader, self._rules)
                async with aclosing(windows.events(language, prompt)) as events:
                    async for event in events:
                        yield event

    async def _prompt(self, prompt: str | None, info: SpeechInfo) -> list[int]:
        """Return the tokens of the text that the sound follows. Raises Refused for what is no text."""
        text = (prompt or "").strip()[-_MAX_PROMPT_CHARACTERS:]
        if not text:
            return []
        tokenizer = self._engine.tokenizer
        ids = await self._workers.tokenize(len(text), tokenizer.encode, " " + text, add_special_tokens=False)
        if controls := [each for each in ids if each >= info.end_id or tokenizer.is_special(each)]:
            raise Refused(f"the prompt holds {tokenizer.token_text(controls[0])}, which is no text", "prompt")
        return ids


def _language(request: TranscriptionRequest, info: SpeechInfo) -> str | None:
    """Return the code of the language that a request names; None if it names none. Raises Refused."""
    if request.translate and not info.languages:
        raise Refused("the model knows English alone, and translates nothing", "translate", _UNSUPPORTED)
    if request.words and not info.alignment_heads:
        raise Refused(
            "the model's files name no heads by which words could be given times", "words", _UNSUPPORTED
        )
    if request.language is None:
        return None
    name = request.language.strip().lower()
    code = info.language_names.get(name, name)
    if code not in (info.languages or (ENGLISH,)):
        known = ", ".join(sorted(info.languages or (ENGLISH,)))
        raise Refused(
            f"{request.language!r} is no language of the model, which knows {known}", "language", _UNSUPPORTED
        )
    return code
