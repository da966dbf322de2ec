"""Tokens that are placed encode as their own names would, and text that spells one stays text."""

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, normalizers, pre_tokenizers
from tokenizers import Tokenizer as Backend
from tokenizers import models as backends
from transformers import PreTrainedTokenizerFast

from engine.port.errors import InvalidRequest
from engine.port.text.placed_tokens import PlacedTokens
from engine.port.text.tokenizer import Tokenizer
from tests.unit.engine.port.text.tiny_tokenizers import BOS, EOS, MARK, byte_fallback, byte_level, metaspace

_KINDS = {"byte-level": byte_level, "byte-fallback": byte_fallback, "metaspace": metaspace}
_NAMES = (BOS, EOS, MARK)


@cache
def made(kind: str) -> tuple[Tokenizer, PlacedTokens]:
    tokenizer = _KINDS[kind]()
    return tokenizer, PlacedTokens(tokenizer, [id_of(tokenizer, name) for name in _NAMES])


def id_of(tokenizer: Tokenizer, name: str) -> int:
    token_id = tokenizer.hf.get_added_vocab()[name]
    assert isinstance(token_id, int)
    return token_id


@pytest.mark.parametrize("kind", _KINDS)
@settings(deadline=None)
@given(
    parts=st.lists(
        st.one_of(
            st.sampled_from(_NAMES), st.text(st.sampled_from("the quick café 日本<>|s/\n "), max_size=12)
        ),
        max_size=8,
    ),
    adds=st.booleans(),
)
def test_parts_are_encoded_as_one_text(kind: str, parts: list[str], adds: bool) -> None:
    tokenizer, placed = made(kind)
    if any(name in part for name in _NAMES for part in parts if part not in _NAMES):
        return
    text = "".join(parts)
    if any(text.count(name) != parts.count(name) for name in _NAMES):
        return  # the ends of two parts spell one together
    given_parts = [id_of(tokenizer, part) if part in _NAMES else part for part in parts]
    assert placed.encode(given_parts, add_special_tokens=adds) == tokenizer.encode(
        text, add_special_tokens=adds
    )


@pytest.mark.parametrize("kind", _KINDS)
@settings(deadline=None)
@given(text=st.lists(st.sampled_from([*_NAMES, "<", "s>", "a ", "<|", "|>", "日"]), max_size=9).map("".join))
def test_what_spells_a_token_is_text(kind: str, text: str) -> None:
    tokenizer, placed = made(kind)
    ids = placed.encode([text])
    assert not {id_of(tokenizer, name) for name in _NAMES} & set(ids)
    if kind == "byte-level":
        assert tokenizer.decode(ids, skip_special_tokens=False) == text


def flagged(**flags: bool) -> Tokenizer:
    """A byte-level tokenizer with a token of these flags."""
    tokenizer = byte_level()
    tokenizer.hf.backend_tokenizer.add_tokens([AddedToken("<x>", **flags)])
    return tokenizer


@pytest.mark.parametrize(
    "flags",
    [{"lstrip": True}, {"rstrip": True}, {"normalized": True}, {"special": True}, {"single_word": True}],
    ids=lambda flags: next(iter(flags)),
)
def test_a_token_keeps_its_manners(flags: dict[str, bool]) -> None:
    tokenizer = flagged(**flags)
    token_id = id_of(tokenizer, "<x>")
    placed = PlacedTokens(tokenizer, [token_id])
    text = "the fox \n <x> \n is"
    before, behind = text.split("<x>")
    assert placed.encode([before, token_id, behind]) == tokenizer.encode(text, add_special_tokens=False)
    assert token_id not in placed.encode([text])


def test_a_token_that_would_not_be_found_in_its_place_is_placed_all_the_same() -> None:
    tokenizer = flagged(single_word=True)
    token_id = id_of(tokenizer, "<x>")
    placed = PlacedTokens(tokenizer, [token_id])
    assert token_id not in tokenizer.encode("the<x>fox")
    spelled = [tokenizer.encode(word, add_special_tokens=False) for word in ("the", "fox")]
    assert placed.encode(["the", token_id, "fox"]) == [*spelled[0], token_id, *spelled[1]]


def test_other_added_tokens_are_read_as_ever() -> None:
    tokenizer = byte_level()
    tokenizer.hf.backend_tokenizer.add_tokens([AddedToken("<table>", special=False)])
    placed = PlacedTokens(tokenizer, [id_of(tokenizer, BOS)])
    table = tokenizer.hf.backend_tokenizer.token_to_id("<table>")
    assert table in placed.encode([f"a <table> of {BOS}"])
    assert id_of(tokenizer, MARK) in placed.encode([f"{BOS}{MARK}"])


def unigram() -> Tokenizer:
    """Return a tokenizer like T5's: control tokens are pieces of the vocabulary, and NFKC applies."""
    pieces = [("<unk>", 0.0), ("<s>", 0.0), ("</s>", 0.0), *((letter, -2.0) for letter in "<>s/abc x")]
    backend = Backend(backends.Unigram(pieces, unk_id=0))
    backend.normalizer = normalizers.NFKC()
    backend.add_special_tokens([AddedToken(text, normalized=True) for text in ("<unk>", "<s>", "</s>")])
    tokenizer_class: Any = PreTrainedTokenizerFast
    hf = tokenizer_class(tokenizer_object=backend, bos_token="<s>", unk_token="<unk>")
    return Tokenizer(hf, vocab_size=backend.get_vocab_size(), end_token_ids=())


@pytest.mark.parametrize("text", ["a<s>b", "<s>", "＜s＞", "a＜/ｓ＞", "x <unk>"])
def test_a_vocabulary_that_holds_a_tokens_name_does_not_make_it_of_text(text: str) -> None:
    tokenizer = unigram()
    placed = PlacedTokens(tokenizer, [0, 1, 2])
    assert {0, 1, 2} & set(tokenizer.encode(text))
    ids = placed.encode([text, 1, "a"])
    assert [token_id for token_id in ids if token_id in (1, 2)] == [1]


def test_a_character_that_the_vocabulary_lacks_is_still_unknown() -> None:
    assert PlacedTokens(unigram(), [0, 1, 2]).encode(["日", 2]) == [0, 2]


def test_a_lone_surrogate_is_refused() -> None:
    _, placed = made("byte-level")
    with pytest.raises(InvalidRequest, match="lone surrogate"):
        placed.encode(["\ud800"])


def test_a_vocabulary_with_gaps_keeps_its_ids() -> None:
    words = {"[UNK]": 0, "a": 1, "b": 7, "<s>": 3, "c": 9}
    backend = Backend(backends.WordLevel(words, unk_token="[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    backend.add_tokens([AddedToken("<table>"), AddedToken("<s>", special=True)])
    backend.add_tokens([AddedToken("<x>", special=True)])
    tokenizer_class: Any = PreTrainedTokenizerFast
    tokenizer = Tokenizer(tokenizer_class(tokenizer_object=backend), vocab_size=12, end_token_ids=())
    special = [id_of(tokenizer, "<s>"), id_of(tokenizer, "<x>")]
    placed = PlacedTokens(tokenizer, special)
    text = "a<s>b<table>c<x>b"
    parts: list[str | int] = ["a", special[0], "b<table>c", special[1], "b"]
    assert placed.encode(parts) == tokenizer.encode(text, add_special_tokens=False)
    assert not set(special) & set(placed.encode([text]))
