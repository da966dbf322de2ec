"""Tokens that a server has generated for a request, as the events of an engine of this process."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from engine.port.events import TokenEvent
from engine.port.request import GenerationRequest, StopConditions
from engine.port.text.sampled import Sampled
from engine.port.text.sequence_output import SequenceOutput
from engine.port.text.token_times import TokenTimes
from engine.port.text.tokenizer import Tokenizer


class Ending(NamedTuple):
    """The end of a sequence, as its server describes it.

    is_full: whether the bound on its tokens ended it. stop_token_id: the stop token that did; None for
    another end, and where the server does not say.
    """

    is_full: bool
    stop_token_id: int | None = None


def generated_events(
    request: GenerationRequest,
    tokenizer: Tokenizer,
    index: int,
    tokens: Sequence[Sampled],
    ending: Ending | None,
) -> Iterator[TokenEvent]:
    """Yield the events of all tokens of a sequence so far; they have no times.

    The server has decided where the sequence ends. The stop conditions of the request only say how much of
    the text is left out there.

    ending: None for a sequence that goes on. Raises InvalidRequest, as SequenceOutput.
    """
    stopping = _at_the_end(request.stopping, len(tokens), ending)
    output = SequenceOutput(replace(request, stopping=stopping), tokenizer, index=index)
    times = TokenTimes()
    for number, token in enumerate(tokens, start=1):
        is_last = ending is not None and number == len(tokens)
        is_full = ending is not None and ending.is_full
        yield output.append(
            token, times, is_complete=is_last and not is_full, is_at_limit=is_last and is_full
        )


def _at_the_end(stopping: StopConditions, num_tokens: int, ending: Ending | None) -> StopConditions:
    """Return the conditions in the form that lets none of them end the sequence before its last token."""
    can_stop = ending is not None and not ending.is_full
    own = () if ending is None or ending.stop_token_id is None else (ending.stop_token_id,)
    return replace(
        stopping,
        max_tokens=num_tokens + 1,
        min_tokens=num_tokens - 1 if can_stop else num_tokens,
        stop_token_ids=stopping.stop_token_ids + own,
    )
