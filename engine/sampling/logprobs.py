"""Log-probabilities of the model's raw logits: natural log of softmax, in float32.

The softmax of a row is never stored: the log-probability of a token is its logit less the row's log-sum-exp.
"""

import math
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from engine.host.transfers import DeviceValue, Readback, upload
from engine.port.events import TokenLogprob
from engine.port.text.tokenizer import Tokenizer
from engine.sampling.native_ranking import can_rank, log_sums_of_rows
from engine.sampling.ranking import best_tokens, top_tokens
from engine.sampling.vocab_blocks import max_rows, row_sums

# The most rows whose log-probabilities are in memory at once: 64 rows of 151,936 take 39 MB.
_MAX_ROWS = 64


def log_sums(logits: Tensor) -> Tensor:
    """Return log(sum(exp(x))) of each row x: [n, v] of any float type -> [n, 1] float64.

    It is NaN for a row whose highest logit is not finite.
    """
    if can_rank(logits):
        return log_sums_of_rows(logits).unsqueeze(1)
    return log_sums_by_torch(logits)


def log_sums_by_torch(logits: Tensor) -> Tensor:
    """Return the result of `log_sums`, computed by torch, on any device."""
    best = best_tokens(logits)[0].unsqueeze(1)
    return best + row_sums((logits.float() - best).exp_()).double().log()


def log_probabilities(logits: Tensor, sums: Tensor) -> Tensor:
    """Return the log-probabilities, [n, m] float32, of logits of each row. sums: [n, 1], of `log_sums`."""
    return (logits - sums).float()


class RankedRows:
    """The most likely tokens of some rows, which the device is ranking."""

    def __init__(self, logits: Tensor, sums: Tensor, num_ranked: Sequence[int], readback: Readback) -> None:
        """Start ranking.

        logits: [n, v]. sums: [n, 1], of `log_sums`. num_ranked: the number of tokens to list for each row.
        """
        self._num_ranked = num_ranked
        self._best: tuple[DeviceValue, DeviceValue] | None = None
        if k := max(num_ranked, default=0):
            values, ids = top_tokens(logits, k)
            self._best = readback.want(log_probabilities(values, sums)), readback.want(ids)

    def tokens(self, tokenizer: Tokenizer) -> list[tuple[TokenLogprob, ...]]:
        """Return each row's tokens by (log-probability descending, id ascending).

        Tokens of probability 0 are left out. Call it after `Readback.read`.
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


class NamedRows:
    """The log-probabilities of the tokens that each of some rows names, which the device is looking up."""

    def __init__(
        self, logits: Tensor, sums: Tensor, token_ids: Sequence[Sequence[int]], readback: Readback
    ) -> None:
        """Start looking up. logits, sums: as in `RankedRows`. token_ids: below v, any number for each row."""
        self._token_ids = token_ids
        self._named: DeviceValue | None = None
        if width := max(map(len, token_ids), default=0):
            padded = [[*ids, *[0] * (width - len(ids))] for ids in token_ids]
            index = upload(padded, logits.device, torch.int64)
            self._named = readback.want(log_probabilities(logits.gather(1, index), sums))

    def tokens(self, tokenizer: Tokenizer) -> list[tuple[TokenLogprob, ...]]:
        """Return each row's tokens in the order in which it names them. Call it after `Readback.read`."""
        if self._named is None:
            return [()] * len(self._token_ids)
        text, is_special = tokenizer.token_text, tokenizer.is_special
        return [
            tuple(
                TokenLogprob(token_id, text(token_id), logprob, is_special(token_id))
                for token_id, logprob in zip(ids, row[: len(ids)], strict=True)
            )
            for ids, row in zip(self._token_ids, self._named.array.tolist(), strict=True)
        ]


class ScoredTokens:
    """The log-probability of one token in each row, and the most likely tokens in its place."""

    def __init__(
        self,
        logits: Tensor,
        token_ids: Tensor,
        num_ranked: Sequence[int],
        readback: Readback,
        named: Sequence[Sequence[int]] | None = None,
    ) -> None:
        """Start computing. logits: [t, v], raw. token_ids: [t] int64. num_ranked: as in `RankedRows`.

        named: the tokens to list for a row instead; () and None for none.
        """
        named = [()] * len(num_ranked) if named is None else named
        num_ranked = [0 if ids else number for ids, number in zip(named, num_ranked, strict=True)]
        self._chunks: list[tuple[DeviceValue, RankedRows, NamedRows]] = []
        step = min(_MAX_ROWS, max_rows(logits))
        for start in range(0, len(logits), step):
            rows = slice(start, start + step)
            part, sums = logits[rows], log_sums(logits[rows])
            own = log_probabilities(part.gather(1, token_ids[rows, None]), sums).squeeze(1)
            ranked = RankedRows(part, sums, num_ranked[rows], readback)
            self._chunks.append((readback.want(own), ranked, NamedRows(part, sums, named[rows], readback)))

    def scores(self, tokenizer: Tokenizer) -> Iterator[tuple[float, tuple[TokenLogprob, ...]]]:
        """Yield each row's log-probability and listed tokens. Call it after `Readback.read`."""
        for own, ranked, named in self._chunks:
            listed = zip(ranked.tokens(tokenizer), named.tokens(tokenizer), strict=True)
            for logprob, (best, chosen) in zip(own.array.tolist(), listed, strict=True):
                yield logprob, chosen or best
