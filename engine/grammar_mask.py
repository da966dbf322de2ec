"""Which tokens a grammar allows next, as bits, and what that does to logits."""

import torch
import xgrammar
from torch import Tensor

from engine.grammar import GrammarState

# [256, 8] float32: what each byte of a bitmask adds to the logits of its eight tokens, the lowest bit first.
# A look-up takes a tenth of the time of unpacking the bits and filling by a mask of bools.
_ADDED = torch.where((torch.arange(256).unsqueeze(1) >> torch.arange(8)) & 1 == 1, 0.0, -torch.inf)


class GrammarMask:
    """A bit for each token: one row, used again for each sequence that has a grammar."""

    def __init__(self, vocab_size: int) -> None:
        self._vocab_size = vocab_size
        self._bits = xgrammar.allocate_token_bitmask(1, vocab_size)  # [1, ceil(v / 32)] int32, on the CPU

    def apply(self, logits: Tensor, grammar: GrammarState) -> None:
        """Sets the logits [v] of tokens that may not come next to -inf, in place; all of them if the grammar
        takes too long to follow.
        """
        if grammar.is_too_slow:
            logits.fill_(-torch.inf)
        elif grammar.is_complete:
            allowed = logits[list(grammar.stop_token_ids)].clone()
            logits.fill_(-torch.inf)
            logits[list(grammar.stop_token_ids)] = allowed
        elif grammar.fill(self._bits, 0):
            rows = self._bits[0].view(torch.uint8).int()
            logits += _ADDED.index_select(0, rows).flatten()[: self._vocab_size].to(logits.device)
