"""The lines in which a transcript goes from the process whose model transcribes to those that answer HTTP.

A transcript is made of windows that follow each other by the times in the text of the one before, of features
of the whole sound, and of the decoder's attention. So the whole sound goes to the engine's process, which
writes it down, and the events of the transcript come back, a line each: MessagePack in base64, since JSON has
no infinite numbers, which log-probabilities may be.
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
    """An error by the name of its class, with what that is made of."""

    kind: str
    message: str = ""
    field: str = ""
    violation: str = Violation.INVALID_VALUE.name
    number: float = 0.0


class _Line(msgspec.Struct, omit_defaults=True):
    """One of an event's forms."""

    delta: TextDelta | None = None
    transcript: Transcript | None = None
    failure: _Failure | None = None


_ERRORS: Final[Mapping[str, Callable[[_Failure], Exception]]] = {
    "Refused": lambda one: Refused(one.message, one.field, Violation[one.violation]),
    "InvalidMedia": lambda one: InvalidMedia(int(one.number), one.message),
    "NotCapable": lambda one: NotCapable(one.field),
    "InvalidRequest": lambda one: InvalidRequest(one.message),
    "Overloaded": lambda one: Overloaded(one.number),
    "EngineDied": lambda one: EngineDied(),
    "EngineStopped": lambda one: EngineStopped(one.message),
    "EngineBusy": lambda one: EngineBusy(one.message),
    "RequestAborted": lambda one: RequestAborted(one.message),
}
_decoder: Final = msgspec.msgpack.Decoder(_Line)


def _failure_of(error: Exception) -> _Failure:
    """Return what of an error goes to the other process; one that is not named is a failure there too."""
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
    """Return the error that a failure was made of."""
    make = _ERRORS.get(failure.kind)
    return GenerationFailed(failure.message) if make is None else make(failure)


def to_line(event: TranscriptEvent | Exception) -> bytes:
    """Return an event, or the error that ends a transcript, as a line without its end."""
    if isinstance(event, Exception):
        line = _Line(failure=_failure_of(event))
    elif isinstance(event, TextDelta):
        line = _Line(delta=event)
    else:
        line = _Line(transcript=event)
    return b64encode(msgspec.msgpack.encode(line))


def from_line(line: bytes) -> TranscriptEvent | Exception:
    """Return what a line was made of. Raises ValueError for any other."""
    found = _decoder.decode(b64decode(line, validate=True))
    if found.failure is not None:
        return _error_of(found.failure)
    event = found.delta or found.transcript
    if event is None:
        raise msgspec.ValidationError("a line has an event or a failure")
    return event
