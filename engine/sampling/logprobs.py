"""Log-probabilities of the model's raw logits: natural log of softmax, in float32."""

import math
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from engine.events import TokenLogprob
from engine.sampling.ranking import top_tokens
from engine.text.tokenizer import Tokenizer

# Prompt rows whose log-probabilities are held at once: 64 rows of 151,936 are 39 MB.
_MAX_ROWS = 64


def log_probabilities(logits: Tensor) -> Tensor:
    """[n, v] of any float type -> [n, v] float32."""
    return torch.log_softmax(logits, dim=-1, dtype=torch.float32)


def score_tokens(
    logits: Tensor, token_ids: Tensor, num_ranked: Sequence[int], tokenizer: Tokenizer
) -> Iterator[tuple[float, tuple[TokenLogprob, ...]]]:
    """Of each row the log-probability of a token, and the most likely tokens in its place.

    logits: [t, v], raw. token_ids: [t] int64. num_ranked: of each row, as in `rank_logprobs`.
    """
    for start in range(0, len(logits), _MAX_ROWS):
        rows = slice(start, start + _MAX_ROWS)
        logprobs = log_probabilities(logits[rows])
        own = logprobs.gather(1, token_ids[rows, None]).squeeze(1)
        yield from zip(own.tolist(), rank_logprobs(logprobs, num_ranked[rows], tokenizer), strict=True)


def rank_logprobs(
    logprobs: Tensor, num_ranked: Sequence[int], tokenizer: Tokenizer
) -> list[tuple[TokenLogprob, ...]]:
    """The most likely tokens of each row, by (log-probability descending, id ascending).

    logprobs: [n, v] float32. num_ranked: of each of the n rows. Tokens of probability 0 are not listed.
    """
    k = max(num_ranked, default=0)
    if k == 0:
        return [()] * len(num_ranked)
    values, ids = top_tokens(logprobs, k)
    text, is_special = tokenizer.token_text, tokenizer.is_special
    return [
        tuple(
            [
                TokenLogprob(token_id, text(token_id), logprob, is_special(token_id))
                for token_id, logprob in zip(row_ids[:count], row_values[:count], strict=True)
                if logprob > -math.inf
            ]
        )
        for row_ids, row_values, count in zip(ids.tolist(), values.tolist(), num_ranked, strict=True)
    ]
