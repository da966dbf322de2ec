"""Any text comes back as it went in, and a word is the same tokens wherever it stands."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import AutoTokenizer, PreTrainedTokenizerBase

from engine.demo_model import DEMO_MODEL

TOKENIZER: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(DEMO_MODEL)
# Lone surrogates are no text: UTF-8 has no bytes for them.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)
WORDS = st.text(st.characters(categories=["Lu", "Ll", "Lo", "Nd"]), min_size=1, max_size=12)


def ids(text: str) -> list[int]:
    return list(TOKENIZER(text, add_special_tokens=False)["input_ids"])


@settings(deadline=None)
@given(TEXT)
def test_any_text_round_trips(text: str) -> None:
    assert TOKENIZER.decode(ids(text)) == text


@settings(deadline=None)
@given(WORDS)
def test_a_word_is_the_same_tokens_after_a_space_a_quote_and_at_the_start(word: str) -> None:
    alone = ids(word)
    assert ids(f"is {word}") == [*ids("is "), *alone]
    assert ids(f'": "{word}') == [*ids('": "'), *alone]
    assert ids(f"({word})") == [*ids("("), *alone, *ids(")")]


@pytest.mark.parametrize("number", ["7", "42", "2026", "10000"])
def test_digits_stand_alone(number: str) -> None:
    assert len(ids(number)) == len(number)


@pytest.mark.parametrize("token", ["<|endoftext|>", "<|im_start|>", "<|im_end|>"])
def test_turn_markers_vanish_from_decoded_text(token: str) -> None:
    assert len(ids(token)) == 1
    assert TOKENIZER.decode(ids(f"a{token}b"), skip_special_tokens=True) == "ab"


@pytest.mark.parametrize(
    "token",
    ["<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"],
)
def test_markup_is_one_token_and_stays_in_decoded_text(token: str) -> None:
    assert len(ids(token)) == 1
    assert TOKENIZER.decode(ids(f"a{token}b"), skip_special_tokens=True) == f"a{token}b"
