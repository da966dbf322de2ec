"""Whole native answers."""

from pydantic import MISSING

from generated.tgi import models as m
from handlers.operations.sequences import GeneratedRequest, GeneratedSequence
from handlers.tgi.native.tokens import prefill, token, top_tokens
from handlers.tgi_family.finish import NATIVE_REASONS
from handlers.tgi_family.request.native_request import NativeRequest


def generate_response(native: NativeRequest, generated: GeneratedRequest) -> m.GenerateResponse:
    """Return the sequence of highest mean log-probability; the others stand in its details."""
    best = generated.likeliest
    return m.GenerateResponse(
        generated_text=native.prefix + best.text,
        details=_details(native, generated, best) if native.params.wants_details else MISSING,
    )


def _details(native: NativeRequest, generated: GeneratedRequest, best: GeneratedSequence) -> m.Details:
    others = [_best_of(native, generated, other) for other in generated.sequences if other is not best]
    return m.Details(
        finish_reason=NATIVE_REASONS[best.finish],
        generated_tokens=len(best.events),
        prefill=prefill(generated.prompt),
        seed=native.seed_of(best.index),
        tokens=[token(event) for event in best.events],
        top_tokens=_top_tokens(native, best),
        best_of_sequences=others or MISSING,
    )


def _best_of(
    native: NativeRequest, generated: GeneratedRequest, sequence: GeneratedSequence
) -> m.BestOfSequence:
    return m.BestOfSequence(
        finish_reason=NATIVE_REASONS[sequence.finish],
        generated_text=native.prefix + sequence.text,
        generated_tokens=len(sequence.events),
        prefill=prefill(generated.prompt),
        seed=native.seed_of(sequence.index),
        tokens=[token(event) for event in sequence.events],
        top_tokens=_top_tokens(native, sequence),
    )


def _top_tokens(native: NativeRequest, sequence: GeneratedSequence) -> list[list[m.Token]] | MISSING:
    if not native.params.top_n_tokens:
        return MISSING
    return [top_tokens(event.top_logprobs) for event in sequence.events]
