"""Sets of tokens, a bit each: int32 [n, ceil(v / 32)], the lowest bit first."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

Words = npt.NDArray[np.uint32]


def new_bitmask(num_rows: int, vocab_size: int) -> Tensor:
    """Return a bitmask on the CPU that allows all tokens."""
    return torch.full((num_rows, -(-vocab_size // 32)), -1, dtype=torch.int32)


def words_of(row: Tensor) -> Words:
    """Return the memory of a row as NumPy's."""
    return row.numpy().view(np.uint32)


def has_bit(words: Words, token_id: int) -> bool:
    return bool(int(words[token_id // 32]) >> token_id % 32 & 1)


def set_bits(words: Words, token_ids: Iterable[int], *, is_allowed: bool) -> None:
    """Allow or exclude these few tokens."""
    for token_id in token_ids:
        bit = np.uint32(1 << token_id % 32)
        if is_allowed:
            words[token_id // 32] |= bit
        else:
            words[token_id // 32] &= ~bit


def only_bit(words: Words) -> int | None:
    """Return the only token that is allowed; None if not exactly one is."""
    if np.count_nonzero(words) != 1:
        return None
    place = int(words.argmax())
    word = int(words[place])
    return place * 32 + word.bit_length() - 1 if word & (word - 1) == 0 else None
