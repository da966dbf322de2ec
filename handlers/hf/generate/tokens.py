"""Tokens in the shapes that `/generate` gives them, which leaves out a log-probability that JSON cannot
hold.
"""

from collections.abc import Sequence

from pydantic import MISSING

from engine.port.events import PromptToken, TokenEvent
from generated.hf import models as m
from handlers.tgi_family.finish import finite


def token(event: TokenEvent) -> m.Token:
    return m.Token(
        id=event.token_id, text=event.token_text, logprob=_logprob(event.logprob), special=event.is_special
    )


def prefill(prompt: Sequence[PromptToken]) -> list[m.PrefillToken]:
    return [m.PrefillToken(id=one.token_id, text=one.text, logprob=_logprob(one.logprob)) for one in prompt]


def _logprob(logprob: float | None) -> float | MISSING:
    known = finite(logprob)
    return MISSING if known is None else known
