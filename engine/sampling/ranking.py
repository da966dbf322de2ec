"""The most likely tokens of each row, without sorting the vocabulary.

A vocabulary has some 10^5 entries, and torch's argmax and topk over it cost more than a small model's
attention. So each row is cut into blocks of consecutive ids, and only the blocks with the highest maxima are
searched: the k best tokens are in the k best blocks, even with equal values, since both are ranked by (value
descending, id ascending).
"""

import torch
from torch import Tensor

from engine.sampling.native_ranking import best_of_rows, can_rank
from engine.sampling.vocab_blocks import block_maxima, block_members

_ARGMAX_BLOCK = 256

# (k at most, block size): measured on 32 rows of 151,936 with one CPU thread. Small blocks make more maxima,
# large ones more candidates.
_TOP_BLOCKS = ((8, 128), (64, 64), (512, 32), (4096, 8))


def best_tokens(logits: Tensor) -> tuple[Tensor, Tensor]:
    """Return the highest value and the lowest id that has it.

    logits: [n, v]. Returns values [n] float32 (NaN where the row holds one) and ids [n] int64.
    """
    if can_rank(logits):
        values, ids = best_of_rows(logits, 1)
        return values.squeeze(1), ids.squeeze(1)
    return best_by_torch(logits)


def best_by_torch(logits: Tensor) -> tuple[Tensor, Tensor]:
    """Return the result of `best_tokens`, computed by torch, on any device."""
    logits = logits.float()  # reductions of bfloat16 are slow on CPU
    blocks = block_maxima(logits, _ARGMAX_BLOCK).argmax(dim=-1, keepdim=True)  # [n, 1]; the first of equals
    members, ids = block_members(logits, blocks, _ARGMAX_BLOCK, fill=-torch.inf)
    best = members.argmax(dim=-1, keepdim=True)
    return members.gather(1, best).squeeze(1), ids.gather(1, best).squeeze(1)


def top_tokens(logits: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Return the k best tokens, by (value descending, id ascending); all of them if k exceeds v.

    logits: [n, v]. Returns values [n, k] float32 and ids [n, k] int64. NaN ranks first.
    """
    if can_rank(logits):
        return best_of_rows(logits, min(k, logits.shape[1]))
    return top_by_torch(logits, k)


def top_by_torch(logits: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Return the result of `top_tokens`, computed by torch, on any device."""
    logits = logits.float()
    num_rows, vocab_size = logits.shape
    k = min(k, vocab_size)
    block_size = next((size for max_k, size in _TOP_BLOCKS if k <= max_k), 0)
    if k * block_size >= vocab_size or not block_size:
        ids = torch.arange(vocab_size, device=logits.device).expand(num_rows, -1)
        return _top(logits, ids, k)
    maxima = block_maxima(logits, block_size)
    block_ids = torch.arange(maxima.shape[1], device=logits.device).expand(num_rows, -1)
    _, blocks = _top(maxima, block_ids, k)
    return _top(*block_members(logits, blocks, block_size, fill=-torch.inf), k)


def _top(values: Tensor, ids: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Return the k best of [n, m] by (value descending, id ascending): one 64-bit key has both."""
    keys = (_ordered_bits(values + 0.0).long() << 32) | (0x7FFFFFFF - ids)  # + 0.0 makes -0 equal to 0
    keys = keys.topk(k, dim=-1).values
    return _from_ordered_bits((keys >> 32).int()), 0x7FFFFFFF - (keys & 0x7FFFFFFF)


def _ordered_bits(values: Tensor) -> Tensor:
    """Return float32 as int32 of the same order: in negative numbers all bits but the sign are flipped."""
    bits = values.view(torch.int32)
    return bits ^ ((bits >> 31) & 0x7FFFFFFF)


def _from_ordered_bits(bits: Tensor) -> Tensor:
    return (bits ^ ((bits >> 31) & 0x7FFFFFFF)).view(torch.float32)
