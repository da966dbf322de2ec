"""Log-probabilities of the model's raw logits: natural log of softmax, in float32."""

import math
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from engine.events import TokenLogprob
from engine.sampling.ranking import top_tokens
from engine.text.tokenizer import Tokenizer
from engine.transfers import DeviceValue, Readback

# Prompt rows whose log-probabilities are held at once: 64 rows of 151,936 are 39 MB.
_MAX_ROWS = 64


def log_probabilities(logits: Tensor) -> Tensor:
    """[n, v] of any float type -> [n, v] float32."""
    return torch.log_softmax(logits, dim=-1, dtype=torch.float32)


class RankedRows:
    """The most likely tokens of some rows, as the device ranks them."""

    def __init__(self, logprobs: Tensor, num_ranked: Sequence[int], readback: Readback) -> None:
        """logprobs: [n, v] float32. num_ranked: how many tokens of each of the n rows."""
        self._num_ranked = num_ranked
        self._best: tuple[DeviceValue, DeviceValue] | None = None
        if k := max(num_ranked, default=0):
            values, ids = top_tokens(logprobs, k)
            self._best = readback.want(values), readback.want(ids)

    def tokens(self, tokenizer: Tokenizer) -> list[tuple[TokenLogprob, ...]]:
        """Each row's tokens by (log-probability descending, id ascending), once the readback was read.

        Tokens of probability 0 are not listed.
        """
        if self._best is None:
            return [()] * len(self._num_ranked)
        text, is_special = tokenizer.token_text, tokenizer.is_special
        values, ids = (value.array.tolist() for value in self._best)
        return [
            tuple(
                [
                    TokenLogprob(token_id, text(token_id), logprob, is_special(token_id))
                    for token_id, logprob in zip(row_ids[:count], row_values[:count], strict=True)
                    if logprob > -math.inf
                ]
            )
            for row_ids, row_values, count in zip(ids, values, self._num_ranked, strict=True)
        ]


class ScoredTokens:
    """How likely a token of each row was, and the most likely ones in its place, as the device has it."""

    def __init__(
        self, logits: Tensor, token_ids: Tensor, num_ranked: Sequence[int], readback: Readback
    ) -> None:
        """logits: [t, v], raw. token_ids: [t] int64. num_ranked: as of `RankedRows`."""
        self._chunks: list[tuple[DeviceValue, RankedRows]] = []
        for start in range(0, len(logits), _MAX_ROWS):
            rows = slice(start, start + _MAX_ROWS)
            logprobs = log_probabilities(logits[rows])
            own = logprobs.gather(1, token_ids[rows, None]).squeeze(1)
            self._chunks.append((readback.want(own), RankedRows(logprobs, num_ranked[rows], readback)))

    def scores(self, tokenizer: Tokenizer) -> Iterator[tuple[float, tuple[TokenLogprob, ...]]]:
        """Each row's log-probability and ranked tokens, once the readback was read."""
        for own, ranked in self._chunks:
            yield from zip(own.array.tolist(), ranked.tokens(tokenizer), strict=True)


def score_tokens(
    logits: Tensor, token_ids: Tensor, num_ranked: Sequence[int], tokenizer: Tokenizer
) -> Iterator[tuple[float, tuple[TokenLogprob, ...]]]:
    """Yield what `ScoredTokens` computes, read at once."""
    readback = Readback()
    scored = ScoredTokens(logits, token_ids, num_ranked, readback)
    readback.read()
    return scored.scores(tokenizer)


def rank_logprobs(
    logprobs: Tensor, num_ranked: Sequence[int], tokenizer: Tokenizer
) -> list[tuple[TokenLogprob, ...]]:
    """Return what `RankedRows` computes, read at once."""
    readback = Readback()
    ranked = RankedRows(logprobs, num_ranked, readback)
    readback.read()
    return ranked.tokens(tokenizer)
