"""The requests that read the log-probabilities of tokens, by what an engine can list."""

from collections.abc import Iterator, Mapping
from math import exp, fsum
from secrets import token_hex
from typing import Final

from msgspec.structs import replace

from engine.port.events import TokenEvent
from engine.port.info.capabilities import Capabilities
from engine.port.request import GenerationRequest, Prompt
from verbatim_kit.errors import Refused, Violation

_ROUNDING: Final = 0.01


class NoProbabilities(Refused):
    """The engine's servers list other numbers than the log-probabilities of the whole vocabulary."""

    def __init__(self) -> None:
        message = "The engine's servers list no log-probabilities of the whole vocabulary"
        super().__init__(message, "model", Violation.UNSUPPORTED_VALUE)


def readings(
    request: GenerationRequest, way: tuple[int, ...], token_ids: tuple[int, ...], capabilities: Capabilities
) -> Iterator[GenerationRequest]:
    """Yield requests whose first events together have the log-probabilities of tokens after a prompt.

    request: greedy, with log-probabilities. way: tokens between its prompt and these.
    An engine that lists no log-probabilities of given tokens generates each of them as the only one allowed;
    its own log-probability is the one before that.
    """
    prompt = Prompt((*request.prompt.token_ids, *way), request.prompt.media)
    if capabilities.logprob_token_ids:
        num = capabilities.max_logprob_token_ids or len(token_ids)
        listed = [token_ids[start : start + num] for start in range(0, len(token_ids), num)]
        samplings = [replace(request.sampling, logprob_token_ids=some) for some in listed]
    else:
        samplings = [replace(request.sampling, allowed_token_ids=(token_id,)) for token_id in token_ids]
    for sampling in samplings:
        yield replace(request, request_id=token_hex(16), prompt=prompt, sampling=sampling)


def found_logprobs(events: list[TokenEvent]) -> Mapping[int, float]:
    """Return the log-probabilities in the first events of one place's readings, by token id.

    Raises NoProbabilities if those of tokens that were allowed alone are not of one distribution.
    """
    own = {event.token_id: event.logprob for event in events if event.logprob is not None}
    if fsum(exp(min(logprob, 1.0)) for logprob in own.values()) > 1 + _ROUNDING:
        raise NoProbabilities
    return own | {token.token_id: token.logprob for event in events for token in event.top_logprobs}
