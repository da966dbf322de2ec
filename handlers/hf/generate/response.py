"""Whole answers of `/generate`."""

from pydantic import MISSING

from generated.hf import models as m
from handlers.hf.generate.tokens import prefill, token
from handlers.operations.sequences import GeneratedRequest, GeneratedSequence
from handlers.tgi_family.finish import GENERATE_REASONS
from handlers.tgi_family.request.prepared_generate import PreparedGenerate


def generate_response(prepared: PreparedGenerate, generated: GeneratedRequest) -> m.GenerateResponse:
    """Return the sequence of highest mean log-probability; the others stand in its details."""
    best = generated.likeliest
    return m.GenerateResponse(
        generated_text=prepared.prefix + best.text,
        details=_details(prepared, generated, best) if prepared.params.wants_details else MISSING,
    )


def _details(prepared: PreparedGenerate, generated: GeneratedRequest, best: GeneratedSequence) -> m.Details:
    others = [_best_of(prepared, generated, other) for other in generated.sequences if other is not best]
    return m.Details(
        finish_reason=GENERATE_REASONS[best.finish],
        generated_tokens=len(best.events),
        seed=seed(prepared, best.index),
        prefill=prefill(generated.prompt),
        tokens=[token(event) for event in best.events],
        best_of_sequences=others or MISSING,
    )


def _best_of(
    prepared: PreparedGenerate, generated: GeneratedRequest, sequence: GeneratedSequence
) -> m.BestOfSequence:
    return m.BestOfSequence(
        generated_text=prepared.prefix + sequence.text,
        finish_reason=GENERATE_REASONS[sequence.finish],
        generated_tokens=len(sequence.events),
        seed=seed(prepared, sequence.index),
        prefill=prefill(generated.prompt),
        tokens=[token(event) for event in sequence.events],
    )


def seed(prepared: PreparedGenerate, index: int) -> int | MISSING:
    """Absent where nothing was drawn at random."""
    used = prepared.seed_of(index)
    return MISSING if used is None else used
