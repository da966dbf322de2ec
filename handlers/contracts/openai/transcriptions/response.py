"""Transcripts in the forms of the contract."""

from collections.abc import Callable, Sequence
from typing import Final

from pydantic import MISSING

from generated.openai import models as m
from handlers.chat.reading.logprobs import bounded
from handlers.contracts.openai.transcriptions.request import Format
from handlers.contracts.openai.transcriptions.subtitles import subrip, webvtt
from handlers.transcription.transcript import (
    ScoredToken,
    Segment,
    TextDelta,
    Transcript,
    TranscriptionRequest,
)

Transcribed = m.CreateTranscriptionResponseJson | m.CreateTranscriptionResponseVerboseJson | str
Translated = m.CreateTranslationResponseJson | m.CreateTranslationResponseVerboseJson | str

_TEXTS: Final[dict[Format, Callable[[Transcript], str]]] = {
    "text": lambda transcript: f"{transcript.text}\n",
    "srt": lambda transcript: subrip(transcript.segments),
    "vtt": lambda transcript: webvtt(transcript.segments),
}


def transcribed(transcript: Transcript, request: TranscriptionRequest, form: Format) -> Transcribed:
    """Return the answer in one of the forms."""
    if form in _TEXTS:
        return _TEXTS[form](transcript)
    usage = m.TranscriptTextUsageDuration(type="duration", seconds=transcript.usage.seconds)
    if form == "json":
        logprobs = _logprobs(transcript.tokens) if request.logprobs else MISSING
        return m.CreateTranscriptionResponseJson(text=transcript.text, logprobs=logprobs, usage=usage)
    words = [m.TranscriptionWord(word=one.text, start=one.start, end=one.end) for one in transcript.words]
    return m.CreateTranscriptionResponseVerboseJson(
        task="transcribe",
        language=_language_name(transcript.language),
        duration=transcript.duration,
        text=transcript.text,
        words=words if request.words else MISSING,
        segments=_segments(transcript.segments) if request.segments else MISSING,
        usage=usage,
    )


def translated(transcript: Transcript, form: Format) -> Translated:
    """Return the answer in one of the forms."""
    if form in _TEXTS:
        return _TEXTS[form](transcript)
    if form == "json":
        return m.CreateTranslationResponseJson(text=transcript.text)
    return m.CreateTranslationResponseVerboseJson(
        task="translate",
        language="english",
        duration=transcript.duration,
        text=transcript.text,
        segments=_segments(transcript.segments),
    )


def event_of(
    event: TextDelta | Transcript, request: TranscriptionRequest
) -> m.TranscriptTextDeltaEvent | m.TranscriptTextDoneEvent:
    """Return the event of a stream for a part of the text, or for all of it."""
    logprobs = _logprobs(event.tokens) if request.logprobs else MISSING
    if isinstance(event, TextDelta):
        return m.TranscriptTextDeltaEvent(type="transcript.text.delta", delta=event.text, logprobs=logprobs)
    usage = event.usage
    return m.TranscriptTextDoneEvent(
        type="transcript.text.done",
        text=event.text,
        logprobs=logprobs,
        usage=m.TranscriptTextUsageTokens(
            type="tokens",
            input_tokens=usage.num_prompt_tokens,
            output_tokens=usage.num_output_tokens,
            total_tokens=usage.num_prompt_tokens + usage.num_output_tokens,
        ),
    )


def _logprobs(tokens: Sequence[ScoredToken]) -> list[m.TranscriptLogprob]:
    return [
        m.TranscriptLogprob(
            token=token.bytes.decode(errors="replace"),
            logprob=bounded(token.logprob),
            bytes=list(token.bytes),
        )
        for token in tokens
    ]


def _segments(segments: Sequence[Segment]) -> list[m.TranscriptionSegment]:
    return [
        m.TranscriptionSegment(
            id=segment.id,
            seek=round(segment.start * 100),
            start=segment.start,
            end=segment.end,
            text=segment.text,
            tokens=list(segment.token_ids),
            temperature=segment.temperature,
            avg_logprob=segment.avg_logprob,
            compression_ratio=segment.compression_ratio,
            no_speech_prob=segment.no_speech_prob,
        )
        for segment in segments
    ]


def _language_name(code: str) -> str:
    """Return the English name of one of Whisper's languages in lower case; the code where it has none."""
    # Only a server whose model transcribes needs it, and that has loaded transformers already.
    from transformers.models.whisper.tokenization_whisper import LANGUAGES

    return str(LANGUAGES.get(code, code))
