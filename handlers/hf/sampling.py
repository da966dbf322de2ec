"""Options of sampling and stopping that chat and completions share, in neutral terms."""

from collections.abc import Sequence

from pydantic import MISSING

from engine.port.request import SamplingParams
from generated.hf import models as m
from handlers.wire.missing import given, given_or


def sampling_params(body: m.ChatCompletionRequest | m.CompletionRequest) -> SamplingParams:
    """Return the shared options. The temperature is 1 by default; 0 is greedy."""
    return SamplingParams(
        temperature=given_or(body.temperature, 1.0),
        top_p=given_or(body.top_p, 1.0),
        seed=given(body.seed),
    )


def stop_texts(stop: str | Sequence[str] | MISSING) -> tuple[str, ...]:
    if stop is MISSING:
        return ()
    return (stop,) if isinstance(stop, str) else tuple(stop)
