"""Tokens in the shapes that `/generate` gives them."""

from collections.abc import Sequence

from engine.port.events import PromptToken, TokenEvent, TokenLogprob
from generated.tgi import models as m
from handlers.tgi_family.finish import finite


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
