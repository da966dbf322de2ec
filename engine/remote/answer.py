"""The events of one sequence, from a server's answer to its request; no torch."""

import logging
import time
from collections.abc import Callable
from typing import Final

from engine.errors import EngineBusy, EngineError, GenerationFailed, InvalidGrammar, InvalidRequest
from engine.events import TokenEvent
from engine.remote.servers.upstream import Answer, BadStatus, CutOff, NoAnswer, Upstream
from engine.remote.wire.answer_reader import ErrorReason, Malformed, UpstreamError, error_reason
from engine.remote.wire.token_api import TokenApi
from engine.request import GenerationRequest
from engine.text.sequence_output import SequenceOutput
from engine.text.tokenizer import Tokenizer

# Servers answer these until there is room for a request again, or until they have started.
_BUSY: Final = frozenset({429, 502, 503, 504})

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
) -> None:
    """Send the body that asks for one sequence, and put its events as they come.

    num_running: the sequences that run beside it, for the events' `batch_size`. Raises NoAnswer if no token
    has come and another try may have more success, and else an EngineError.
    """
    output = SequenceOutput(request, tokenizer, index=index)
    reader = api.reader(request, tokenizer)
    is_streamed = api.is_streamed(request)
    last_time = time.perf_counter()
    has_begun = False
    try:
        async with upstream.post(api.path, body) as answer:
            while (pieces := await _next(answer, is_streamed=is_streamed, has_begun=has_begun)) is not None:
                for data in pieces:
                    for token in reader.read(data):
                        now = time.perf_counter()
                        event = output.append(
                            token.token_id,
                            is_complete=token.is_complete,
                            logprob=token.logprob,
                            top_logprobs=token.top_logprobs,
                            prompt=None if has_begun else reader.prompt,
                            num_cached_tokens=reader.num_cached_tokens,
                            queue_s=reader.queue_s,
                            batch_size=num_running(),
                            step_s=now - last_time,
                        )
                        last_time, has_begun = now, True
                        put(event)
                        if event.finish is not None:
                            if reader.finish_reason is not None:
                                await answer.finish()
                            return
        if not has_begun and reader.finish_reason is None:
            raise NoAnswer("the connection was closed before the first token")
        raise GenerationFailed("the engine's server ended the sequence early")
    except BadStatus as error:
        raise _refusal(error.status, error_reason(error.body), request) from error
    except CutOff as error:
        if has_begun or isinstance(error.__cause__, TimeoutError):
            _log.error("%s broke an answer off: %s", upstream.url, error)
            raise GenerationFailed(f"the engine's server broke off: {error}") from error
        raise NoAnswer(str(error)) from error
    except UpstreamError as error:
        status = 500 if has_begun else error.status
        raise _refusal(status, ErrorReason(error.reason, error.parameter), request) from error
    except Malformed as error:
        _log.error("%s answered with what its API does not define: %s", upstream.url, error)
        raise GenerationFailed("the engine's server failed") from error


async def _next(answer: Answer, *, is_streamed: bool, has_begun: bool) -> list[bytes] | None:
    """Return the next data of an answer; that of one which is not streamed is its whole body, once."""
    if is_streamed:
        return await answer.next()
    return None if has_begun else [await answer.whole()]


def _refusal(status: int, reason: ErrorReason, request: GenerationRequest) -> EngineError:
    """Return the engine's error for a server's refusal of a request."""
    if status in _BUSY:
        return EngineBusy("the engine's server has no room")
    if status in (400, 413, 422):
        is_of_grammar = not reason.parameter or reason.parameter.endswith("structured_outputs")
        if request.sampling.grammar is not None and is_of_grammar:
            return InvalidGrammar(f"the engine refuses the grammar: {reason.message}")
        return InvalidRequest(f"the engine refuses the request: {reason.message}")
    _log.error("the engine's server answered with status %d: %s", status, reason.message)
    return GenerationFailed("the engine's server failed")
