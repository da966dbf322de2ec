"""Completion requests in neutral terms."""

from engine.port.request import SamplingParams
from generated.hf import models as m
from handlers.contracts.tgi.completions.request import CompletionParams
from handlers.contracts.tgi.openai_form import stop_texts
from handlers.operations.missing import given, given_or
from handlers.served_model.model_names import ModelNames


def completion_params(body: m.CompletionRequest, names: ModelNames) -> CompletionParams:
    """Return what the body asks for. The temperature is 1 by default; 0 is greedy."""
    return CompletionParams(
        prompts=(body.prompt,) if isinstance(body.prompt, str) else tuple(body.prompt),
        sampling=SamplingParams(
            temperature=given_or(body.temperature, 1.0),
            top_p=given_or(body.top_p, 1.0),
            seed=given(body.seed),
        ),
        max_tokens=body.max_tokens,
        stop=stop_texts(body.stop),
        suffix=given(body.suffix),
        adapter=names.adapter_of(body.model),
    )
