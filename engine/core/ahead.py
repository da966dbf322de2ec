"""A step that is launched while the one before it is still being computed.

The host does not know the tokens of the step before yet. So each of its sequences that may go on has a token
in its place that counts and is not looked at, and the device takes the one that it draws itself. When the
step before is collected, the tokens take their places (`SequenceState.accept`). A sequence that ends with its
token is removed then, and what was computed for it ahead is dropped.
"""

from dataclasses import replace
from typing import NamedTuple

from torch import Tensor

from engine.attention.batch import Batch, UnseenTokens
from engine.core.launched_step import LaunchedStep
from engine.port.errors import GenerationFailed
from engine.scheduling.sequence import Sequence


class Ahead(NamedTuple):
    """The tokens that a step draws. sources: the places in `token_ids` of the sequences that may go on."""

    token_ids: Tensor
    sources: dict[Sequence, int]


def can_follow(step: LaunchedStep) -> bool:
    """Return whether a step can be launched before this one is collected.

    Not where a request of it must know its last token before the next one is drawn, as for a grammar or a
    penalty.
    """
    if step.error is not None or step.schedule.drafts:
        return False
    if step.tokens is None or step.tokens.sequences is None:
        return step.tokens is None or step.tokens.beams is None
    sequences = step.tokens.sequences
    return (
        step.tokens.beams is None
        and len(sequences.samples) == 1
        and not isinstance(sequences.samples[0], GenerationFailed)
        and not any(state.sampling.depends_on_tokens for state in sequences.states)
    )


def go_on(step: LaunchedStep) -> Ahead | None:
    """Let the sequences that may go on after a step have its tokens, unseen; None if it draws no tokens."""
    if step.tokens is None or step.tokens.sequences is None:
        return None
    (samples,) = step.tokens.sequences.samples
    assert not isinstance(samples, GenerationFailed)
    sources = {
        state.sequence: place
        for place, state in enumerate(step.tokens.sequences.states)
        if state.sequence in state.job.states and not state.ends_by_next
    }
    for place in sources.values():
        step.tokens.sequences.states[place].take_unseen()
    return Ahead(samples.token_ids.tensor, sources)


def with_unseen(batch: Batch, ahead: Ahead) -> Batch:
    """Return the batch with what its rows of unseen tokens are."""
    rows, sources = [], []
    for entry, span in zip(batch.entries, batch.spans, strict=True):
        if entry.sequence in ahead.sources and entry.reaches_end:
            rows.append(span.row + span.num_tokens - 1)
            sources.append(ahead.sources[entry.sequence])
    return replace(batch, unseen=UnseenTokens(rows, ahead.token_ids, sources)) if rows else batch
