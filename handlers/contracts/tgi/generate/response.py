"""Whole answers of `/generate`."""

from pydantic import MISSING

from generated.tgi import models as m
from handlers.contracts.tgi.generate.prepared_generate import PreparedGenerate
from handlers.contracts.tgi.generate.tokens import GENERATE_REASONS, prefill, token, top_tokens
from handlers.operations.sequences import GeneratedRequest, GeneratedSequence


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
        prefill=prefill(generated.prompt),
        seed=prepared.seed_of(best.index),
        tokens=[token(event) for event in best.events],
        top_tokens=_top_tokens(prepared, best),
        best_of_sequences=others or MISSING,
    )


def _best_of(
    prepared: PreparedGenerate, generated: GeneratedRequest, sequence: GeneratedSequence
) -> m.BestOfSequence:
    return m.BestOfSequence(
        finish_reason=GENERATE_REASONS[sequence.finish],
        generated_text=prepared.prefix + sequence.text,
        generated_tokens=len(sequence.events),
        prefill=prefill(generated.prompt),
        seed=prepared.seed_of(sequence.index),
        tokens=[token(event) for event in sequence.events],
        top_tokens=_top_tokens(prepared, sequence),
    )


def _top_tokens(prepared: PreparedGenerate, sequence: GeneratedSequence) -> list[list[m.Token]] | MISSING:
    if not prepared.params.top_n_tokens:
        return MISSING
    return [top_tokens(event.top_logprobs) for event in sequence.events]
