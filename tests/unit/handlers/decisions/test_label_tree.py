"""Probabilities of labels from those of their tokens."""

from math import inf, log

import pytest

from handlers.active_requests.active_request import IncompleteGeneration
from handlers.decisions.label_tree import LabelTree


def test_labels_of_one_token_need_one_node() -> None:
    tree = LabelTree([((1,),), ((2,),)])
    assert list(tree.nodes()) == [((), (1, 2))]
    tree.add((), {1: log(0.3), 2: log(0.1)})
    assert tree.probabilities() == pytest.approx((0.75, 0.25))


def test_a_label_of_several_tokens_has_the_product_of_their_probabilities() -> None:
    tree = LabelTree([((1, 2),), ((1, 3),), ((4,),)])
    assert list(tree.nodes()) == [((), (1, 4)), ((1,), (2, 3))]
    tree.add((), {1: log(0.5), 4: log(0.1)})
    tree.add((1,), {2: log(0.6), 3: log(0.2)})
    assert tree.probabilities() == pytest.approx((0.6, 0.2, 0.2))


def test_a_label_has_the_sum_of_its_spellings() -> None:
    tree = LabelTree([((1,), (2,)), ((3,),)])
    tree.add((), {1: log(0.2), 2: log(0.1), 3: log(0.1)})
    assert tree.probabilities() == pytest.approx((0.75, 0.25))


def test_labels_that_are_all_but_impossible_are_still_compared() -> None:
    tree = LabelTree([((1,),), ((2,),)])
    tree.add((), {1: -2000.0, 2: -2000.0 + log(3)})
    assert tree.probabilities() == pytest.approx((0.25, 0.75))


@pytest.mark.parametrize("logprobs", [{1: -1.0}, {1: -inf, 2: -inf}])
def test_an_engine_that_does_not_list_the_labels_has_not_answered(logprobs: dict[int, float]) -> None:
    tree = LabelTree([((1,),), ((2,),)])
    with pytest.raises(IncompleteGeneration):
        tree.add((), logprobs)
        tree.probabilities()
