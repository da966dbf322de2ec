"""Log-probabilities in the contract's form."""

from collections.abc import Sequence

from engine.port.events import TokenEvent
from engine.port.text.tokenizer import Tokenizer
from generated.mindie import models as m
from handlers.chat.reading.logprobs import ScoredToken, TokenScore, scored_tokens


def logprobs(events: Sequence[TokenEvent], tokenizer: Tokenizer) -> m.Logprobs:
    return m.Logprobs(content=[_token(token) for token in scored_tokens(events, tokenizer)])


def _token(token: ScoredToken) -> m.TokenLogprob:
    return m.TokenLogprob(
        token=token.text,
        logprob=token.logprob,
        bytes=list(token.bytes),
        top_logprobs=[_top(top) for top in token.top],
    )


def _top(score: TokenScore) -> m.TopLogprob:
    return m.TopLogprob(token=score.text, logprob=score.logprob, bytes=list(score.bytes))
