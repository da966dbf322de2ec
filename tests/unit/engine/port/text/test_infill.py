"""Prompts that fill a gap, against the forms that the models' cards print."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from transformers import CodeLlamaTokenizer

from engine.port.errors import InvalidRequest
from engine.port.text.infill import INFILL_FORMS, Infill
from engine.port.text.tokenizer import Tokenizer
from tests.unit.engine.port.text.tiny_tokenizers import BOS, byte_fallback, byte_level

BEFORE, AFTER = "the quick(\n  fox", " is\n\tcafé 日本)\n"

QWEN = ("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|fim_pad|>", "<|file_sep|>", "<|repo_name|>")
GEMMA = ("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", "<|file_separator|>")
STARCODER = ("<fim_prefix>", "<fim_middle>", "<fim_suffix>", "<fim_pad>", "<file_sep>")
SANTACODER = ("<fim-prefix>", "<fim-middle>", "<fim-suffix>", "<fim-pad>")
DEEPSEEK = ("<｜fim▁hole｜>", "<｜fim▁begin｜>", "<｜fim▁end｜>", "<|EOT|>")
CODE_LLAMA = ("▁<PRE>", "▁<MID>", "▁<SUF>", "▁<EOT>")
MISTRAL = ("[PREFIX]", "[MIDDLE]", "[SUFFIX]")


def with_tokens(tokenizer: Tokenizer, names: tuple[str, ...], vocab_size: int | None = None) -> Tokenizer:
    """The tokenizer with more special tokens."""
    backend: Any = tokenizer.hf.backend_tokenizer
    backend.add_special_tokens(list(names))
    size = vocab_size or backend.get_vocab_size()
    return Tokenizer(tokenizer.hf, vocab_size=size, end_token_ids=tokenizer.end_token_ids)


def infill_of(tokenizer: Tokenizer) -> Infill:
    infill = Infill.of(tokenizer)
    assert infill is not None
    return infill


def prompt_of(tokenizer: Tokenizer, before: str = BEFORE, after: str = AFTER) -> tuple[int, ...]:
    infill = infill_of(tokenizer)
    ids = tokenizer.encode(before, add_special_tokens=False)
    return infill.frame(ids, infill.encode_after(after), add_special_tokens=True)


def names_of(tokenizer: Tokenizer, ids: tuple[int, ...]) -> list[str]:
    names = tokenizer.token_names(ids)
    assert isinstance(names, list)
    return names


# How the cards of the models write the prompt, as one text that the tokenizer reads.
CARDS: list[tuple[tuple[str, ...], Callable[[str, str], str]]] = [
    (QWEN, lambda before, after: f"<|fim_prefix|>{before}<|fim_suffix|>{after}<|fim_middle|>"),
    (GEMMA, lambda before, after: f"<|fim_prefix|>{before}<|fim_suffix|>{after}<|fim_middle|>"),
    (STARCODER, lambda before, after: f"<fim_prefix>{before}<fim_suffix>{after}<fim_middle>"),
    (SANTACODER, lambda before, after: f"<fim-prefix>{before}<fim-suffix>{after}<fim-middle>"),
    (DEEPSEEK, lambda before, after: f"<｜fim▁begin｜>{before}<｜fim▁hole｜>{after}<｜fim▁end｜>"),
]


@pytest.mark.parametrize(("names", "card"), CARDS)
@pytest.mark.parametrize("after", [AFTER, "quick", " ", "\n"])
def test_a_prompt_is_what_the_models_card_prints(
    names: tuple[str, ...], card: Callable[[str, str], str], after: str
) -> None:
    tokenizer = with_tokens(byte_level(), names)
    assert prompt_of(tokenizer, after=after) == tuple(tokenizer.encode(card(BEFORE, after)))


def test_code_llamas_prompt_is_that_of_its_own_tokenizer() -> None:
    tokenizer = with_tokens(byte_fallback(), CODE_LLAMA)
    backend: Any = tokenizer.hf.backend_tokenizer
    merges = [tuple(pair) for pair in json.loads(backend.to_str())["model"]["merges"]]
    code_llama: Any = CodeLlamaTokenizer
    own = code_llama(vocab=backend.get_vocab(), merges=merges)
    assert prompt_of(tokenizer) == tuple(own(BEFORE, suffix=AFTER)["input_ids"])


def test_code_llama_puts_a_space_before_the_prefix_and_none_before_the_suffix() -> None:
    tokenizer = with_tokens(byte_fallback(), CODE_LLAMA)
    assert names_of(tokenizer, prompt_of(tokenizer, "the", "fox is")) == [
        *(BOS, "▁<PRE>", "▁the", "▁<SUF>", "f", "o", "x", "▁is", "▁<MID>")
    ]


def test_mistrals_suffix_comes_first() -> None:
    tokenizer = with_tokens(byte_fallback(), MISTRAL)
    assert names_of(tokenizer, prompt_of(tokenizer, "the", "fox is")) == [
        *(BOS, "[SUFFIX]", "f", "o", "x", "▁is", "[PREFIX]", "▁the")
    ]


@pytest.mark.parametrize(
    ("names", "ends"),
    [
        (QWEN, {"<|fim_pad|>", "<|file_sep|>", "<|repo_name|>", "<|fim_prefix|>"}),
        (GEMMA, {"<|file_separator|>", "<|fim_suffix|>"}),
        (STARCODER, {"<file_sep>", "<fim_pad>", "<fim_middle>"}),
        (DEEPSEEK, {"<|EOT|>", "<｜fim▁begin｜>"}),
        (CODE_LLAMA, {"▁<EOT>", "▁<PRE>"}),
        (MISTRAL, {"[SUFFIX]", "[PREFIX]"}),
    ],
)
def test_the_tokens_of_the_form_end_the_text(names: tuple[str, ...], ends: set[str]) -> None:
    tokenizer = with_tokens(byte_level(), names)
    assert ends <= set(names_of(tokenizer, infill_of(tokenizer).end_token_ids))


@pytest.mark.parametrize("form", INFILL_FORMS)
def test_a_vocabulary_without_one_of_the_tokens_fills_no_gap(form: Any) -> None:
    for missing in form.names:
        names = tuple(name for name in form.names if name != missing)
        assert Infill.of(with_tokens(byte_level(), names)) is None
    assert Infill.of(byte_level()) is None


def test_a_token_that_the_model_has_no_logit_for_is_not_in_its_vocabulary() -> None:
    size = with_tokens(byte_level(), QWEN).vocab_size
    assert Infill.of(with_tokens(byte_level(), QWEN, vocab_size=size - len(QWEN) + 1)) is None


def test_the_beginning_token_of_given_ids_goes_before_the_frame() -> None:
    tokenizer = with_tokens(byte_level(), QWEN)
    infill = infill_of(tokenizer)
    ids, after = tokenizer.encode(BEFORE), infill.encode_after(AFTER)
    assert infill.frame(ids, after, add_special_tokens=False) == prompt_of(tokenizer)
    assert infill.frame(ids[1:], after, add_special_tokens=False) == prompt_of(tokenizer)[1:]


def test_text_that_is_no_unicode_is_refused() -> None:
    for tokenizer in (with_tokens(byte_level(), QWEN), with_tokens(byte_fallback(), CODE_LLAMA)):
        with pytest.raises(InvalidRequest):
            infill_of(tokenizer).encode_after("a\ud800")
