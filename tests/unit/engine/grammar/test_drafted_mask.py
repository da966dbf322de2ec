"""The masks along a draft are those of the tokens accepted one by one, each filled once."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
import torch
from torch import Tensor

from engine.grammar.bitmask import has_bit, words_of
from engine.grammar.drafted_mask import drafted_masks
from engine.grammar.matcher import GrammarMatcher
from engine.port.request import Grammar, GrammarKind
from tests.unit.engine.grammar.grammar_cases import COMPILER, TOKENIZER

UNIQUE = {"type": "array", "items": {"type": "string", "pattern": "^[ab]{1,3}$"}, "uniqueItems": True}


@pytest.mark.parametrize(
    "grammar", [UNIQUE, {"type": "string", "minLength": 9, "maxLength": 12}, {"enum": [["a", "b"]]}]
)
@pytest.mark.parametrize("text", ['["a", "b", "ab"', '"abcabcabcabcabc"', '["a", "b", "a"]'])
def test_a_draft_is_followed_and_its_masks_are_filled_once(
    grammar: dict[str, Any], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = COMPILER.compile(Grammar(GrammarKind.JSON_SCHEMA, json.dumps(grammar)))
    draft = TOKENIZER.encode(text, add_special_tokens=False)
    expected = one_by_one(compiled.start(), draft)
    state = compiled.start()
    num_filled, fill = 0, GrammarMatcher.fill

    def counted(self: GrammarMatcher, row: Tensor) -> None:
        nonlocal num_filled
        num_filled += 1
        fill(self, row)

    monkeypatch.setattr(GrammarMatcher, "fill", counted)
    num_allowed = state.num_allowed(draft)
    masks = [mask.mask for mask in drafted_masks(state, draft[:num_allowed])]
    state.prepare()
    assert num_filled == num_allowed + 1
    assert num_allowed == len(expected)
    assert all(torch.equal(mask, other) for mask, other in zip(masks, expected, strict=True))


def one_by_one(state: GrammarMatcher, draft: Sequence[int]) -> list[torch.Tensor]:
    """Return the mask after each token that is allowed and does not end the text."""
    masks: list[torch.Tensor] = []
    for token_id in draft:
        mask = state.mask
        if not has_bit(words_of(mask), token_id):
            break
        state.accept(token_id)
        if state.is_complete:
            break
        masks.append(state.mask.clone())
    return masks
