"""The encoding of transcripts as lines, for their way from the engine process to API workers.

Each window of a transcript depends on the timestamps in the one before, on features of the whole audio, and
on the decoder's attention. So API workers send the whole audio to the engine process, which returns the
events of the transcript, one in each line: MessagePack in base64, since JSON cannot represent infinite
log-probabilities.
"""

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
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
from handlers.errors.refused import Refused
from handlers.errors.violation import Violation
from handlers.transcription.transcript import TextDelta, Transcript, TranscriptEvent

PATH: Final = "/transcripts"


class _Failure(msgspec.Struct, omit_defaults=True):
    """An exception: the name of its class, and its arguments."""

    kind: str
    message: str = ""
    field: str = ""
    violation: str = Violation.INVALID_VALUE.name
    number: float = 0.0


class _Line(msgspec.Struct, omit_defaults=True):
    """An event of a transcript; exactly one field is set."""

    delta: TextDelta | None = None
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


def to_line(event: TranscriptEvent | Exception) -> bytes:
    """Encode an event, or the error that ends a transcript, as a line without a line break."""
    if isinstance(event, Exception):
        line = _Line(failure=_failure_of(event))
    elif isinstance(event, TextDelta):
        line = _Line(delta=event)
    else:
        line = _Line(transcript=event)
    return b64encode(msgspec.msgpack.encode(line))


def from_line(line: bytes) -> TranscriptEvent | Exception:
    """Decode a line. Raises ValueError if it is invalid."""
    found = _decoder.decode(b64decode(line, validate=True))
    if found.failure is not None:
        return _error_of(found.failure)
    event = found.delta or found.transcript
    if event is None:
        raise msgspec.ValidationError("a line must have an event or a failure")
    return event
