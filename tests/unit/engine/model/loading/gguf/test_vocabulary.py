"""The tokenizer of a GGUF file gives the ids that llama.cpp gives, and ends where it ends.

`llama_cpp_ids.json` was written by llama.cpp; `make test-llama-cpp` asks it again, for more texts.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.port.errors import ModelNotSupported
from tests.support.tiny_models.gguf_vocabularies import (
    CONTROL,
    NORMAL,
    TEXTS,
    USER_DEFINED,
    VOCABULARIES,
    byte_level,
    sentencepiece,
    write_vocabulary,
)
from tests.unit.engine.model.loading.gguf.described import described

_OF_LLAMA_CPP: dict[str, Any] = json.loads((Path(__file__).parent / "llama_cpp_ids.json").read_text())
_NONE = 4294967295  # the id of no token
_HARMONY = ("<|return|>", "<|call|>", "<|end|>")


@pytest.mark.parametrize("name", VOCABULARIES)
def test_ids_and_ends_are_those_of_llama_cpp(name: str, tmp_path: Path) -> None:
    tokenizer, ends = described(write_vocabulary(tmp_path / "vocabulary.gguf", VOCABULARIES[name]))
    expected = _OF_LLAMA_CPP[name]
    found = {text: tokenizer.encode(text, add_special_tokens=False) for text in TEXTS}
    assert found == dict(zip(TEXTS, expected["ids"], strict=True))
    assert sorted(ends) == expected["ends"]


def test_decoded_text_is_what_was_encoded(tmp_path: Path) -> None:
    for number, metadata in enumerate(VOCABULARIES.values()):
        folder = tmp_path / str(number)
        folder.mkdir()
        tokenizer, _ = described(write_vocabulary(folder / "vocabulary.gguf", metadata))
        for text in ("Hello  world", " café 你好\n", "the 12345"):
            assert tokenizer.decode(tokenizer.encode(text), skip_special_tokens=True) == text


@pytest.mark.parametrize("key", ["bos", "padding", "unknown", "eot"])
def test_an_id_without_a_token_is_as_none(key: str, tmp_path: Path) -> None:
    metadata = sentencepiece(**{f"{key}_token_id": _NONE})
    tokenizer, ends = described(write_vocabulary(tmp_path / "vocabulary.gguf", metadata))
    assert tokenizer.encode("the")[0] == 1, "the usual bos of sentencepiece, as in llama.cpp"
    assert _NONE not in ends and "pad_token" not in tokenizer.hf.special_tokens_map


@pytest.mark.parametrize(
    ("more", "ends"),
    [
        ([("<|flush|>", NORMAL)], {"</s>", "<|flush|>", "<|im_end|>"}),
        ([(token, CONTROL) for token in _HARMONY], {"</s>", "<|return|>", "<|call|>", "<|im_end|>"}),
        ([("<|end|>", USER_DEFINED)], {"</s>", "<|end|>", "<|im_end|>"}),
        ([("<|tool_response>", CONTROL)], {"<|tool_response>", "<|im_end|>"}),  # where </s> is text
        (
            [("<|repo_name|>", NORMAL), ("<|file_sep|>", NORMAL)],
            {"</s>", "<|repo_name|>", "<|file_sep|>", "<|im_end|>"},
        ),
    ],
)  # fmt: skip
def test_ends_are_known_by_their_text_whatever_their_type(
    more: list[tuple[str, int]], ends: set[str], tmp_path: Path
) -> None:
    metadata = sentencepiece(*more)
    _, found = described(write_vocabulary(tmp_path / "vocabulary.gguf", metadata))
    assert {metadata["tokenizer.ggml.tokens"][index] for index in found} == ends


_FLAWS: dict[str, tuple[dict[str, Any], str]] = {
    "no scores": (sentencepiece(scores=[]), "it has no tokenizer.ggml.scores"),
    "a token twice": (sentencepiece(("the", NORMAL), ("the", NORMAL)), "names a token twice"),
    "scores that leave the order open": (
        sentencepiece(("abx", NORMAL), ("xab", NORMAL), ("xa", NORMAL)),
        "have the score -1000, which leaves open what is merged first",
    ),
    "a token of characters that are none": (
        sentencepiece(("ЖЖ", NORMAL)),
        "has a character that is no token",
    ),
    "blanks that special tokens take": (
        sentencepiece(("  ", USER_DEFINED), ("<|endoftext|>", CONTROL)) | {"general.name": "phi-3"},
        "a special token is of blanks",
    ),
    "an unknown split": (byte_level("martian"), "tokenizer.ggml.pre is 'martian'"),
}


@pytest.mark.parametrize("flaw", _FLAWS)
def test_a_vocabulary_that_would_be_read_otherwise_is_refused(flaw: str, tmp_path: Path) -> None:
    metadata, words = _FLAWS[flaw]
    with pytest.raises(ModelNotSupported, match=words):
        described(write_vocabulary(tmp_path / "vocabulary.gguf", metadata))
