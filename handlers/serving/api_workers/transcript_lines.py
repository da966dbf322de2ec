"""The encoding of transcripts as lines, for their way from the engine process to API workers.

Each window of a transcript depends on the timestamps in the one before, on features of the whole audio, and
on the decoder's attention. So API workers send the whole audio to the engine process, which returns the
events of the transcript in lines: MessagePack in base64, since JSON cannot represent infinite
log-probabilities.

The segments, words and tokens of a transcript are sent before it, a thousand in each line, so that both
processes serve other requests between two lines. A thread would not help: MessagePack holds the interpreter
lock while it encodes or decodes a line.
"""

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

import msgspec

from engine.port.errors import (
    EngineBusy,
    EngineDied,
    EngineStopped,
    GenerationFailed,
    InvalidMedia,
    InvalidRequest,
    NotCapable,
    RequestAborted,
)
from handlers.concurrency.limit import Overloaded
from handlers.transcription.transcript import (
    ScoredToken,
    Segment,
    TextDelta,
    Transcript,
    TranscriptEvent,
    Word,
)
from verbatim_kit.errors import Refused, Violation

PATH: Final = "/transcripts"
_MAX_ITEMS: Final = 1000  # of a line, which takes some milliseconds to read


class _Failure(msgspec.Struct, omit_defaults=True):
    """An exception: the name of its class, and its arguments."""

    kind: str
    message: str = ""
    field: str = ""
    violation: str = Violation.INVALID_VALUE.name
    number: float = 0.0


class _Part(msgspec.Struct, omit_defaults=True):
    """Items of the transcript that follows."""

    segments: tuple[Segment, ...] = ()
    words: tuple[Word, ...] = ()
    tokens: tuple[ScoredToken, ...] = ()


class _Line(msgspec.Struct, omit_defaults=True):
    """An event of a transcript; exactly one field is set."""

    delta: TextDelta | None = None
    part: _Part | None = None
    transcript: Transcript | None = None
    failure: _Failure | None = None


_ERRORS: Final[Mapping[str, Callable[[_Failure], Exception]]] = {
    "Refused": lambda failure: Refused(failure.message, failure.field, Violation[failure.violation]),
    "InvalidMedia": lambda failure: InvalidMedia(int(failure.number), failure.message),
    "NotCapable": lambda failure: NotCapable(failure.field),
    "InvalidRequest": lambda failure: InvalidRequest(failure.message),
    "Overloaded": lambda failure: Overloaded(failure.number),
    "EngineDied": lambda failure: EngineDied(),
    "EngineStopped": lambda failure: EngineStopped(failure.message),
    "EngineBusy": lambda failure: EngineBusy(failure.message),
    "RequestAborted": lambda failure: RequestAborted(failure.message),
}
_decoder: Final = msgspec.msgpack.Decoder(_Line)


def _failure_of(error: Exception) -> _Failure:
    """Return the encoded form of an exception; an unknown class becomes GenerationFailed."""
    found = _Failure("GenerationFailed", str(error))
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


def _error_of(failure: _Failure) -> Exception:
    """Return the exception that a failure encodes."""
    make = _ERRORS.get(failure.kind)
    return GenerationFailed(failure.message) if make is None else make(failure)


def to_lines(event: TranscriptEvent | Exception) -> Iterator[bytes]:
    """Yield the lines, without their ends, of an event or of the error that ends a transcript."""
    if isinstance(event, Exception):
        yield _encoded(_Line(failure=_failure_of(event)))
    elif isinstance(event, TextDelta):
        yield _encoded(_Line(delta=event))
    else:
        for start in range(0, len(event.segments), _MAX_ITEMS):
            yield _encoded(_Line(part=_Part(segments=event.segments[start : start + _MAX_ITEMS])))
        for start in range(0, len(event.words), _MAX_ITEMS):
            yield _encoded(_Line(part=_Part(words=event.words[start : start + _MAX_ITEMS])))
        for start in range(0, len(event.tokens), _MAX_ITEMS):
            yield _encoded(_Line(part=_Part(tokens=event.tokens[start : start + _MAX_ITEMS])))
        yield _encoded(_Line(transcript=replace(event, segments=(), words=(), tokens=())))


def _encoded(line: _Line) -> bytes:
    return b64encode(msgspec.msgpack.encode(line))


class LineReader:
    """The events in the lines of one transcript, given in their order."""

    def __init__(self) -> None:
        self._segments: list[Segment] = []
        self._words: list[Word] = []
        self._tokens: list[ScoredToken] = []

    def read(self, line: bytes) -> TranscriptEvent | Exception | None:
        """Return the event that ends with the line; None for a line that goes ahead of another.

        Raises ValueError for any other line.
        """
        found = _decoder.decode(b64decode(line, validate=True))
        if found.failure is not None:
            return _error_of(found.failure)
        if found.part is not None:
            self._segments.extend(found.part.segments)
            self._words.extend(found.part.words)
            self._tokens.extend(found.part.tokens)
            return None
        if found.transcript is not None:
            return replace(
                found.transcript,
                segments=tuple(self._segments),
                words=tuple(self._words),
                tokens=tuple(self._tokens),
            )
        if found.delta is None:
            raise msgspec.ValidationError("a line has an event, a part of one or a failure")
        return found.delta
