"""Requests for transcripts, as the neutral service takes them."""

from typing import Literal, TypeAlias

from pydantic import MISSING

from generated.openai import models as m
from handlers.transcription.chunks import PauseRules
from handlers.transcription.transcript import TranscriptionRequest
from verbatim_kit.errors import Refused, Violation
from verbatim_kit.runtime.upload import Upload

Format: TypeAlias = Literal["json", "text", "srt", "verbose_json", "vtt"]

_GRANULARITIES = "timestamp_granularities[]"
_INCLUDE = "include[]"


def transcription_request(body: m.CreateTranscriptionRequest) -> TranscriptionRequest:
    """Return the request for a transcript. Raises Refused for fields that exclude each other."""
    if body.stream and body.response_format != "json":
        raise Refused(f"`stream` needs the format json, not {body.response_format}", "stream")
    granularities = None if body.timestamp_granularities is MISSING else body.timestamp_granularities
    if granularities is not None and body.response_format != "verbose_json":
        raise Refused(f"`{_GRANULARITIES}` needs the format verbose_json", _GRANULARITIES)
    wants_logprobs = body.include is not MISSING and "logprobs" in body.include
    if wants_logprobs and body.response_format != "json":
        raise Refused(f"`{_INCLUDE}` needs the format json, not {body.response_format}", _INCLUDE)
    return TranscriptionRequest(
        audio=_audio_bytes(body.file),
        language=None if body.language is MISSING else body.language,
        prompt=None if body.prompt is MISSING else body.prompt,
        temperature=body.temperature,
        seed=None if body.seed is MISSING else body.seed,
        pauses=_pauses(body),
        logprobs=wants_logprobs,
        words="word" in (granularities or ()),
        segments=_has_segments(body.response_format) and "segment" in (granularities or ("segment",)),
    )


def translation_request(body: m.CreateTranslationRequest) -> TranscriptionRequest:
    """Return the request for a transcript in English. Raises Refused."""
    return TranscriptionRequest(
        audio=_audio_bytes(body.file),
        prompt=None if body.prompt is MISSING else body.prompt,
        temperature=body.temperature,
        segments=_has_segments(body.response_format),
        translate=True,
    )


def _pauses(body: m.CreateTranscriptionRequest) -> PauseRules | None:
    strategy = body.chunking_strategy
    if strategy is MISSING:
        return None
    if strategy == "auto":
        return PauseRules()
    return PauseRules(strategy.threshold, strategy.prefix_padding_ms, strategy.silence_duration_ms)


def _has_segments(form: Format) -> bool:
    """Return whether an answer in this form may have segments."""
    return form in ("srt", "verbose_json", "vtt")


def _audio_bytes(file: Upload) -> bytes:
    if not file.content:
        raise Refused("the file is empty", "file", Violation.TOO_SHORT)
    return file.content
