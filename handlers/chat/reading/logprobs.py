"""Log-probabilities of an answer's tokens, with the bytes that each adds to it."""

from collections.abc import Iterable

import msgspec

from engine.port.events import TokenEvent
from engine.port.text.tokenizer import Tokenizer

LEAST_LOGPROB = -9999.0  # what OpenAI sends for a token of probability 0, where null is not allowed


class TokenScore(msgspec.Struct, frozen=True, kw_only=True):
    """A token and its natural-log probability, at least LEAST_LOGPROB.

    text: the bytes as text, in which bytes that are no whole character show as U+FFFD.
    bytes: the token's UTF-8; a character may begin in one token and end in the next.
    """

    token_id: int
    text: str
    bytes: bytes
    logprob: float


class ScoredToken(TokenScore, frozen=True, kw_only=True):
    """A token of the answer; `top` are the most likely ones in its place, the best first."""

    top: tuple[TokenScore, ...] = ()


def scored_tokens(events: Iterable[TokenEvent], tokenizer: Tokenizer) -> tuple[ScoredToken, ...]:
    """Return the scored tokens of events with log-probabilities.

    The bytes of `ChatChoice.answer_events`, joined, are the answer's text, except for blanks next to thoughts
    and for text that a stop string cuts off inside a token.
    """
    return tuple(_scored(event, tokenizer) for event in events)


def bounded(logprob: float | None) -> float:
    """Return a log-probability of at least LEAST_LOGPROB; None, of a token without one, counts as
    probability 0.
    """
    return LEAST_LOGPROB if logprob is None else max(LEAST_LOGPROB, logprob)


def _scored(event: TokenEvent, tokenizer: Tokenizer) -> ScoredToken:
    data = tokenizer.token_bytes(event.token_id)
    return ScoredToken(
        token_id=event.token_id,
        text=_text(data),
        bytes=data,
        logprob=bounded(event.logprob),
        top=tuple(_score(top.token_id, top.logprob, tokenizer) for top in event.top_logprobs),
    )


def _score(token_id: int, logprob: float, tokenizer: Tokenizer) -> TokenScore:
    data = tokenizer.token_bytes(token_id)
    return TokenScore(token_id=token_id, text=_text(data), bytes=data, logprob=bounded(logprob))


def _text(data: bytes) -> str:
    return data.decode(errors="replace")
