"""Small unsigned integers that are packed into words of 32 bits."""

from typing import Final

import torch
from torch import Tensor

WORD_BITS: Final = 32


def unpack_words(words: Tensor, bits: int) -> Tensor:
    """Return the integers of each row, as uint8: [num_rows, num_words * 32 / bits].

    words: int32, [num_rows, num_words]. The first integer has the lowest bits of the first word; integers of
    3 bits may go on in the next word, so that their words come by three.
    """
    if 8 % bits:
        return _unpack_across_words(words, bits)
    in_bytes = words.contiguous().view(torch.uint8)  # the lowest byte of a word comes first
    if bits == 8:
        return in_bytes
    mask = (1 << bits) - 1
    fields = [(in_bytes >> shift) & mask for shift in range(0, 8, bits)]
    return torch.stack(fields, dim=-1).flatten(1)


def unpack_nibbles(in_bytes: Tensor, *, is_high_first: bool = False) -> Tensor:
    """Return the two integers of 4 bits of each byte, along the last dimension."""
    fields = [in_bytes & 15, in_bytes >> 4]
    return torch.stack(fields[::-1] if is_high_first else fields, dim=-1).flatten(-2)


def _unpack_across_words(words: Tensor, bits: int) -> Tensor:
    num_fields = words.shape[1] * WORD_BITS // bits
    places = torch.arange(num_fields) * bits
    unsigned = words.long() & 0xFFFFFFFF
    doubled = torch.cat([unsigned, unsigned.new_zeros(len(words), 1)], dim=1)
    first, shift = places // WORD_BITS, places % WORD_BITS
    both = doubled[:, first] | (doubled[:, first + 1] << WORD_BITS)
    return ((both >> shift) & ((1 << bits) - 1)).to(torch.uint8)
