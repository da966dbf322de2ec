"""Tokens and finish reasons in the shapes that `/generate` gives them."""

import math
from collections.abc import Sequence
from typing import Final, Literal

from engine.port.events import FinishReason, PromptToken, TokenEvent, TokenLogprob
from generated.tgi import models as m

GENERATE_REASONS: Final[dict[FinishReason, Literal["length", "eos_token", "stop_sequence"]]] = {
    FinishReason.LENGTH: "length",
    FinishReason.END_TOKEN: "eos_token",
    FinishReason.STOP: "stop_sequence",
}


def token(event: TokenEvent) -> m.Token:
    return m.Token(
        id=event.token_id, text=event.token_text, logprob=finite(event.logprob), special=event.is_special
    )


def top_tokens(top_logprobs: Sequence[TokenLogprob]) -> list[m.Token]:
    return [
        m.Token(id=top.token_id, text=top.text, logprob=finite(top.logprob), special=top.is_special)
        for top in top_logprobs
    ]


def prefill(prompt: Sequence[PromptToken]) -> list[m.PrefillToken]:
    return [m.PrefillToken(id=one.token_id, text=one.text, logprob=finite(one.logprob)) for one in prompt]


def finite(logprob: float | None) -> float | None:
    """Return the log-probability; None for an infinite one, for which JSON has no number."""
    return logprob if logprob is not None and math.isfinite(logprob) else None
