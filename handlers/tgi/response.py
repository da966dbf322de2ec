"""Whole native answers."""

from pydantic import MISSING

from generated.tgi import models as m
from handlers.sequences import GeneratedRequest, GeneratedSequence
from handlers.tgi.request import NativeRequest, wants_details
from handlers.tgi.tokens import FINISH_REASONS, prefill, token, top_tokens


def generate_response(native: NativeRequest, generated: GeneratedRequest) -> m.GenerateResponse:
    """The sequence of highest mean log-probability; the others are told in its details."""
    best = max(generated.sequences, key=lambda sequence: sequence.mean_logprob)
    return m.GenerateResponse(
        generated_text=native.prefix + best.text,
        details=_details(native, generated, best) if wants_details(native.parameters) else MISSING,
    )


def _details(native: NativeRequest, generated: GeneratedRequest, best: GeneratedSequence) -> m.Details:
    others = [_best_of(native, generated, other) for other in generated.sequences if other is not best]
    return m.Details(
        finish_reason=FINISH_REASONS[best.finish],
        generated_tokens=len(best.events),
        prefill=prefill(generated.prompt),
        seed=_seed(native, best),
        tokens=[token(event) for event in best.events],
        top_tokens=_top_tokens(native, best),
        best_of_sequences=others or MISSING,
    )


def _best_of(
    native: NativeRequest, generated: GeneratedRequest, sequence: GeneratedSequence
) -> m.BestOfSequence:
    return m.BestOfSequence(
        finish_reason=FINISH_REASONS[sequence.finish],
        generated_text=native.prefix + sequence.text,
        generated_tokens=len(sequence.events),
        prefill=prefill(generated.prompt),
        seed=_seed(native, sequence),
        tokens=[token(event) for event in sequence.events],
        top_tokens=_top_tokens(native, sequence),
    )


def _seed(native: NativeRequest, sequence: GeneratedSequence) -> int | None:
    """The seed that gives this sequence when it is asked for alone."""
    return None if native.seed is None else native.seed + sequence.index


def _top_tokens(native: NativeRequest, sequence: GeneratedSequence) -> list[list[m.Token]] | MISSING:
    if not native.parameters.top_n_tokens:
        return MISSING
    return [top_tokens(event.top_logprobs) for event in sequence.events]
