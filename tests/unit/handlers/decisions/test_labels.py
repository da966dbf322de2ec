"""Labels, and the tokens that they are spelled with."""

from collections.abc import Sequence
from typing import Any

import pytest
from tokenizers import Tokenizer as Backend
from tokenizers import models as backends
from tokenizers import pre_tokenizers
from transformers import PreTrainedTokenizerFast

from engine.port.text.tokenizer import Tokenizer
from handlers.decisions.labels import IndistinctLabels, Labels
from handlers.decisions.question import QuestionKind
from tests.unit.handlers.chat.models import chat_tokenizer

BYTES = chat_tokenizer()


def tokenizer_of(words: Sequence[str]) -> Tokenizer:
    """Return a tokenizer with a token for each word, where Ġ is a blank, and one for any other text."""
    vocabulary = {word: number for number, word in enumerate(["?", *words])}
    backend: Any = Backend(backends.WordLevel(vocabulary, unk_token="?"))
    backend.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_next")
    tokenizer_class: Any = PreTrainedTokenizerFast
    hf = tokenizer_class(tokenizer_object=backend)
    return Tokenizer(hf, vocab_size=len(vocabulary), end_token_ids=())


def test_a_predicate_is_answered_with_yes_or_no() -> None:
    assert Labels(BYTES).texts(QuestionKind.PREDICATE, 2) == ("Yes", "No")


@pytest.mark.parametrize(("num_levels", "last"), [(1, "0"), (10, "9"), (11, "K"), (26, "Z")])
def test_up_to_ten_levels_are_digits_and_more_are_letters(num_levels: int, last: str) -> None:
    labels = Labels(BYTES).texts(QuestionKind.SCORE, num_levels)
    assert len(labels) == num_levels
    assert labels[-1] == last


@pytest.mark.parametrize("num_choices", [27, 255])
def test_more_choices_than_letters_have_pairs_of_letters(num_choices: int) -> None:
    labels = Labels(BYTES).texts(QuestionKind.CHOICE, num_choices)
    assert len(set(labels)) == num_choices
    assert {len(label) for label in labels} == {2}


def test_pairs_that_are_one_token_come_first() -> None:
    labels = Labels(tokenizer_of(["QX", "ZZ"])).texts(QuestionKind.CHOICE, 30)
    assert labels[:3] == ["QX", "ZZ", "AA"]


def test_a_label_of_several_tokens_is_spelled_with_all_of_them() -> None:
    (spellings,) = Labels(BYTES).spellings(["Yes"], BYTES.encode("x"))
    assert spellings == (tuple(BYTES.encode("Yes")),)


def test_a_label_after_a_blank_is_a_spelling_of_it_where_that_is_one_token() -> None:
    tokenizer = tokenizer_of(["x", "A", " A", "B"])
    prompt = tokenizer.encode("x")
    a, b = Labels(tokenizer).spellings(["A", "C"], [])[0], Labels(tokenizer).spellings(["B"], prompt)[0]
    assert a == ((2,), (3,))
    assert b[0] == (4,)


def test_labels_that_the_tokenizer_does_not_tell_apart_are_refused() -> None:
    tokenizer = tokenizer_of(["x"])
    with pytest.raises(IndistinctLabels):
        Labels(tokenizer).spellings(["A", "B"], tokenizer.encode("x"))


def test_a_label_does_not_change_the_tokens_before_it() -> None:
    prompt = BYTES.encode("the prompt<|im_end|>\n")
    spellings = Labels(BYTES).spellings(["A", "B"], prompt)
    assert spellings == [(tuple(BYTES.encode("A")),), (tuple(BYTES.encode("B")),)]
