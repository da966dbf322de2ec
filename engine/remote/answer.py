"""The events of one sequence, from a server's answer to its request; no torch."""

import logging
from collections.abc import Callable
from typing import Final

from engine.errors import (
    EngineBusy,
    EngineError,
    GenerationFailed,
    InvalidGrammar,
    InvalidRequest,
    UnknownAdapter,
)
from engine.events import TokenEvent
from engine.remote.sequence_events import CachedTokens, SequenceEvents
from engine.remote.servers.failures import BadStatus, CutOff, NoAnswer
from engine.remote.servers.upstream import Upstream
from engine.remote.sse import EventSplitter, EventTooLong
from engine.remote.wire.answer_reader import ErrorReason, Malformed, UpstreamError, error_reason
from engine.remote.wire.token_api import TokenApi
from engine.request import GenerationRequest
from engine.text.tokenizer import Tokenizer

# Servers answer these until there is room for a request again, or until they have started.
_BUSY: Final = frozenset({429, 502, 503, 504})

_MAX_EVENT_BYTES: Final = 8 * 2**20  # a prompt of 32,000 tokens with the log-probabilities of five each

_log = logging.getLogger(__name__)


async def put_events(
    upstream: Upstream,
    api: TokenApi,
    body: bytes,
    request: GenerationRequest,
    index: int,
    tokenizer: Tokenizer,
    *,
    put: Callable[[TokenEvent], object],
    num_running: Callable[[], int],
    cached: CachedTokens,
) -> None:
    """Send the body that asks for one sequence, and put its events as they come.

    num_running: the sequences that run beside it, for the events' `batch_size`. cached: the count of the
    request. Raises NoAnswer if no token has come and another try may have more success, and else an
    EngineError.
    """
    reader = api.reader(request, tokenizer)
    events = SequenceEvents(request, index, tokenizer, reader, put, num_running, cached)
    is_streamed = api.is_streamed(request)
    try:
        async with upstream.post(api.path, body) as answer:
            if is_streamed:
                splitter = EventSplitter(_MAX_EVENT_BYTES)
                await answer.stream(lambda data: events.put(splitter.feed(data)))
                if not events.is_over:
                    events.end()
            else:
                events.put([await answer.whole()])
            if events.is_over:
                if reader.finish_reason is not None:
                    await answer.rest()
                return
        if is_streamed and not events.has_begun and reader.finish_reason is None:
            raise NoAnswer("the connection was closed before the first token")
        raise GenerationFailed("the engine's server ended the sequence early")
    except BadStatus as error:
        raise _refusal(error.status, error_reason(error.body), request) from error
    except EventTooLong as error:
        raise GenerationFailed("the engine's server sent an event that is too long") from error
    except CutOff as error:
        events.end()
        if events.is_over:
            return
        if events.has_begun or isinstance(error.__cause__, TimeoutError):
            _log.error("%s broke an answer off: %s", upstream.url, error)
            raise GenerationFailed(f"the engine's server broke off: {error}") from error
        raise NoAnswer(str(error)) from error
    except UpstreamError as error:
        status = 500 if events.has_begun else error.status
        raise _refusal(status, ErrorReason(error.reason, error.parameter), request) from error
    except Malformed as error:
        _log.error("%s answered with what its API does not define: %s", upstream.url, error)
        raise GenerationFailed("the engine's server failed") from error


def _refusal(status: int, reason: ErrorReason, request: GenerationRequest) -> EngineError:
    """Return the engine's error for a server's refusal of a request."""
    if status in _BUSY:
        return EngineBusy("the engine's server has no room")
    if status in (400, 413, 422):
        is_of_grammar = not reason.parameter or reason.parameter.endswith("structured_outputs")
        if request.sampling.grammar is not None and is_of_grammar:
            return InvalidGrammar(f"the engine refuses the grammar: {reason.message}")
        return InvalidRequest(f"the engine refuses the request: {reason.message}")
    if status == 404 and request.adapter is not None:
        return UnknownAdapter(request.adapter)
    _log.error("the engine's server answered with status %d: %s", status, reason.message)
    return GenerationFailed("the engine's server failed")
