"""A draft is what followed the longest n-gram at the end of the text the last time that it occurred."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.scheduling.block_keys import BlockKeys
from engine.scheduling.block_pool import BlockPool, BlockTable
from engine.scheduling.sequence import Sequence
from engine.speculation.ngram_proposer import LONGEST, NgramProposer
from engine.speculation.proposer import Proposal

texts = st.lists(st.integers(0, 3), max_size=40)


def new_sequence(token_ids: list[int]) -> Sequence:
    table: Any = BlockTable(BlockPool(1, 4))
    return Sequence((0, 0, 0), token_ids, len(token_ids), table, BlockKeys((), 4))


def draft(token_ids: list[int], length: int) -> list[int]:
    return propose(token_ids, length).token_ids


def propose(token_ids: list[int], length: int) -> Proposal:
    [proposal] = NgramProposer().propose([(new_sequence(token_ids), length)])
    return proposal


def slow_proposal(token_ids: list[int], length: int) -> Proposal:
    """The definition, read from the text."""
    for size in range(LONGEST, 0, -1):
        gram = token_ids[-size:]
        for start in range(len(token_ids) - size - 1, -1, -1):
            if len(gram) == size and token_ids[start : start + size] == gram:
                text, at = list(token_ids), start + size
                while len(text) < at + length or len(text) < len(token_ids) + length:
                    text.append(text[len(text) - len(token_ids) + at])
                return Proposal(text[at : at + length], size)
    return Proposal([], 0)


@pytest.mark.parametrize(
    ("token_ids", "length", "expected"),
    [
        ([1, 2, 3, 4, 1, 2], 2, [3, 4]),
        ([1, 2, 7, 1, 2, 8, 1, 2], 1, [8]),  # the latest
        ([9, 1, 2, 7, 8, 1, 2, 6, 9, 1, 2], 1, [7]),  # the longest before the latest
        ([1, 2, 1, 2, 1], 4, [2, 1, 2, 1]),  # a repetition goes on
        ([5, 5, 5], 3, [5, 5, 5]),
        ([1, 2, 3, 1], 3, [2, 3, 1]),
        ([5, 5], 3, [5, 5, 5]),
        ([1, 2, 3], 3, []),
        ([5], 3, []),
        ([], 3, []),
        ([1, 2, 3, 1, 2], 0, []),
    ],
)
def test_examples(token_ids: list[int], length: int, expected: list[int]) -> None:
    assert draft(token_ids, length) == expected


@given(texts, st.integers(1, 8))
def test_a_draft_is_that_of_the_definition(token_ids: list[int], length: int) -> None:
    assert propose(token_ids, length) == slow_proposal(token_ids, length)


@given(st.lists(texts, min_size=1, max_size=6))
def test_a_text_that_grows_is_as_one_that_came_whole(parts: list[list[int]]) -> None:
    proposer, sequence = NgramProposer(), new_sequence([])
    for part in parts:
        sequence.token_ids += part
        assert proposer.propose([(sequence, 4)]) == [propose(sequence.token_ids, 4)]


def test_long_texts_grow_too() -> None:
    proposer, sequence = NgramProposer(), new_sequence([])
    for token_id in range(2000):
        sequence.token_ids.append(token_id)
        assert proposer.propose([(sequence, 4)]) == [Proposal([], 0)]
    sequence.token_ids += [1000, 1001]
    assert proposer.propose([(sequence, 2)]) == [Proposal([1002, 1003], 2)]


def test_a_proposer_forgets_a_sequence_that_is_gone() -> None:
    proposer = NgramProposer()
    proposer.propose([(new_sequence([1, 2, 1, 2]), 2)])
    assert len(proposer._texts) == 0
