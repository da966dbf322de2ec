"""The events of one sequence, from a server's answer to its request; no torch."""

import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from engine.port.errors import (
    EngineBusy,
    EngineError,
    GenerationFailed,
    InvalidGrammar,
    InvalidRequest,
    UnknownAdapter,
)
from engine.port.events import TokenEvent
from engine.port.request import GenerationRequest
from engine.port.text.tokenizer import Tokenizer
from engine.remote.client.failures import BUSY, BadStatus, CutOff, NoAnswer, ServerFailed
from engine.remote.client.upstream import Answer, Upstream
from engine.remote.sequence_events import LARGE_BYTES, CachedTokens, SequenceEvents
from engine.remote.sse import EventSplitter, EventTooLong
from engine.remote.wire.answer_reader import ErrorReason, Malformed, UpstreamError, error_reason
from engine.remote.wire.token_api import TokenApi


def seconds_of(value: str) -> float | None:
    """Return the seconds in the header, which has a number or a date (RFC 9110, section 10.2.3).

    None if the header is empty or invalid, or if the time is in the past.
    """
    value = value.strip()
    if value.isascii() and value.isdigit():
        seconds = float(value)
    else:
        try:
            date = parsedate_to_datetime(value)
            seconds = (date.replace(tzinfo=date.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
        except (ValueError, OverflowError):
            return None
    return seconds if seconds > 0 else None


# A whole answer comes with its last token. A server that is slower than this is taken for one that hangs.
_TOKENS_A_SECOND: Final = 5.0

_log = logging.getLogger(__name__)


async def put_events(
    upstream: Upstream,
    api: TokenApi,
    body: Callable[[], Sequence[bytes]],
    request: GenerationRequest,
    index: int,
    tokenizer: Tokenizer,
    *,
    put: Callable[[TokenEvent], object],
    num_running: Callable[[], int],
    cached: CachedTokens,
) -> None:
    """Send the body that asks for one sequence, and put its events as they come.

    body: the argument of `Upstream.post`. num_running: returns the number of sequences that run
    with it, for the events' `batch_size`. cached: the count of the request. Raises NoAnswer if no token has
    come and another try may have more success, and else an EngineError, which is ServerFailed for a fault of
    the server before the first token.
    """
    reader = api.reader(request, tokenizer, index)
    events = SequenceEvents(request, index, tokenizer, reader, put, num_running, cached)
    is_streamed = api.is_streamed(request)
    try:
        extra_s = 0.0 if is_streamed else request.stopping.max_tokens / _TOKENS_A_SECOND
        async with upstream.post(api.path, body, extra_s=extra_s) as answer:
            if is_streamed:
                await _put_stream(answer, events, api.max_event_bytes(request), upstream.max_wait_s)
            else:
                await events.put_large((await answer.whole(),))
            if events.is_over:
                if reader.finish_reason is not None:
                    await answer.rest()
                return
        if is_streamed and not events.has_begun and reader.finish_reason is None:
            raise NoAnswer("the connection was closed before the first token")
        raise _failed(events, "the engine's server ended the sequence early")
    except BadStatus as error:
        refusal = _refusal(api, error.status, error_reason(error.body), request)
        if isinstance(refusal, EngineBusy):
            refusal.retry_after_s = seconds_of(error.retry_after)
        raise refusal from error
    except EventTooLong as error:
        raise _failed(events, "the engine's server sent an event that is too long") from error
    except CutOff as error:
        events.end()
        if events.is_over:
            return
        if events.has_begun or isinstance(error.__cause__, TimeoutError):
            _log.error("%s broke an answer off: %s", upstream.url, error)
            raise GenerationFailed(f"the engine's server broke off: {error}") from error
        raise NoAnswer(str(error)) from error
    except UpstreamError as error:
        if events.has_begun:
            _log.error("%s failed in an answer: %s", upstream.url, error.reason)
            raise GenerationFailed("the engine's server failed") from error
        raise _refusal(api, error.status, ErrorReason(error.reason, error.parameter), request) from error
    except Malformed as error:
        _log.error("%s answered with what its API does not define: %s", upstream.url, error)
        raise _failed(events, "the engine's server failed") from error


async def _put_stream(
    answer: Answer, events: SequenceEvents, max_event_bytes: int, max_wait_s: float
) -> None:
    """Put the events of a stream as they come; large ones are read while other streams go on.

    max_wait_s: seconds for which comments may take the place of tokens. Raises CutOff, EventTooLong, and what
    SequenceEvents raises.
    """
    splitter = EventSplitter(max_event_bytes)
    while not events.is_over and (data := await answer.read()):
        is_large = splitter.num_held + len(data) > LARGE_BYTES
        pieces = splitter.feed(data)
        if not pieces and events.silent_s > max_wait_s:
            raise CutOff("no token came for too long") from TimeoutError()
        if is_large:
            await events.put_large(pieces)
        else:
            events.put(pieces)
    if not events.is_over:
        events.end()


def _failed(events: SequenceEvents, message: str) -> GenerationFailed:
    """Return the error of a server's own fault, which another server may not have if no token has come."""
    return GenerationFailed(message) if events.has_begun else ServerFailed(message)


def _refusal(api: TokenApi, status: int, reason: ErrorReason, request: GenerationRequest) -> EngineError:
    """Return the engine's error for a server's refusal of a request."""
    if status in BUSY:
        return EngineBusy("the engine's server has no room")
    if request.adapter is not None and api.is_unknown_adapter(status, reason):
        return UnknownAdapter(request.adapter)
    if status in (400, 413, 422):
        is_of_grammar = not reason.parameter or reason.parameter.endswith("structured_outputs")
        if request.sampling.grammar is not None and is_of_grammar:
            return InvalidGrammar(f"the engine refuses the grammar: {reason.message}")
        return InvalidRequest(f"the engine refuses the request: {reason.message}")
    _log.error("the engine's server answered with status %d: %s", status, reason.message)
    return ServerFailed("the engine's server failed")
