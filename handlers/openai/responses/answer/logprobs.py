"""Log-probabilities as messages carry them."""

from collections.abc import Iterable

from generated.openai import models as m
from handlers.chat.reading.logprobs import ScoredToken


def response_logprobs(tokens: Iterable[ScoredToken]) -> list[m.ResponseLogprob]:
    return [_logprob(token) for token in tokens]


def _logprob(token: ScoredToken) -> m.ResponseLogprob:
    return m.ResponseLogprob(
        token=token.text,
        bytes=list(token.bytes),
        logprob=token.logprob,
        top_logprobs=[
            m.ResponseTopLogprob(token=top.text, bytes=list(top.bytes), logprob=top.logprob)
            for top in token.top
        ],
    )
