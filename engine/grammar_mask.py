"""Which tokens the grammars of some rows allow, as bits, and what that does to their logits."""

import numpy as np
import torch
import xgrammar
from torch import Tensor

from engine.grammar import GrammarState


class GrammarMask:
    """A bit for each token: one row, used again for each sequence that has a grammar."""

    def __init__(self, vocab_size: int) -> None:
        self._vocab_size = vocab_size
        self._bits = xgrammar.allocate_token_bitmask(1, vocab_size)  # [1, ceil(v / 32)] int32, on the CPU

    def apply(self, logits: Tensor, grammar: GrammarState) -> None:
        """Sets the logits [v] of tokens that may not come next to -inf, in place; all of them
        if the grammar takes too long to follow."""
        if grammar.is_too_slow:
            logits.fill_(-torch.inf)
        elif grammar.is_complete:
            allowed = logits[list(grammar.stop_token_ids)].clone()
            logits.fill_(-torch.inf)
            logits[list(grammar.stop_token_ids)] = allowed
        elif grammar.fill(self._bits, 0):
            bits = np.unpackbits(self._bits.numpy().view(np.uint8), bitorder="little")[: self._vocab_size]
            logits.masked_fill_(torch.from_numpy(bits == 0).to(logits.device), -torch.inf)
