"""Whole native answers."""

from pydantic import MISSING

from generated.hf import models as m
from handlers.hf.native.tokens import prefill, token
from handlers.operations.sequences import GeneratedRequest, GeneratedSequence
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
        seed=seed(native, best.index),
        prefill=prefill(generated.prompt),
        tokens=[token(event) for event in best.events],
        best_of_sequences=others or MISSING,
    )


def _best_of(
    native: NativeRequest, generated: GeneratedRequest, sequence: GeneratedSequence
) -> m.BestOfSequence:
    return m.BestOfSequence(
        generated_text=native.prefix + sequence.text,
        finish_reason=NATIVE_REASONS[sequence.finish],
        generated_tokens=len(sequence.events),
        seed=seed(native, sequence.index),
        prefill=prefill(generated.prompt),
        tokens=[token(event) for event in sequence.events],
    )


def seed(native: NativeRequest, index: int) -> int | MISSING:
    """Absent where nothing was drawn at random."""
    used = native.seed_of(index)
    return MISSING if used is None else used
