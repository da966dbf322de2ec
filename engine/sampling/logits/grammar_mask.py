"""Which tokens a grammar allows next, as bits, and what that does to logits."""

import torch
from torch import Tensor

from engine.grammar.matcher import GrammarState

# [256, 8] float32: what each byte of a bitmask adds to the logits of its eight tokens, the lowest bit first.
# A look-up takes a tenth of the time of unpacking the bits and filling by a mask of bools.
_ADDED = torch.where((torch.arange(256).unsqueeze(1) >> torch.arange(8)) & 1 == 1, 0.0, -torch.inf)


def apply_grammar(logits: Tensor, grammar: GrammarState) -> None:
    """Sets the logits [v] of tokens that may not come next to -inf, in place; all of them if the grammar
    takes too long to follow.
    """
    if not grammar.is_complete:
        grammar.prepare()
    if grammar.is_too_slow:
        logits.fill_(-torch.inf)
    elif grammar.is_complete:
        allowed = logits[list(grammar.stop_token_ids)].clone()
        logits.fill_(-torch.inf)
        logits[list(grammar.stop_token_ids)] = allowed
    elif (mask := grammar.mask) is not None:
        rows = mask.view(torch.uint8).int()
        logits += _ADDED.index_select(0, rows).flatten()[: len(logits)].to(logits.device)
