"""Texts become the ids that llama.cpp gives, and end with its end tokens: `make test-llama-cpp`."""

import json
import os
import subprocess
from pathlib import Path
from random import Random
from typing import Final

import pytest

from tests.support.tiny_models.gguf_vocabularies import TEXTS, VOCABULARIES, write_vocabulary
from tests.unit.engine.model.loading.gguf.described import described

_PYTHON: Final = os.environ.get("LLAMA_CPP_PYTHON", "")
_DRIVER: Final = Path(__file__).parent / "tokenize.py"
_NUM_TEXTS: Final = 2000
_PARTS: Final = (
    "the", " ", "  ", "\n", "<|im_end|>", "<think>", "é", "你好", "12", "abc", "ana", "Hello", "world",
    "</s>", "<s>", "'s", "\t", "x", "   ", ".", "Ж", "<unk>", "<｜User｜>", "<|fim_pad|>", "<|endoftext|>",
)  # fmt: skip


@pytest.mark.skipif(not _PYTHON, reason="make test-llama-cpp says where llama-cpp-python is")
@pytest.mark.parametrize("name", VOCABULARIES)
def test_ids_and_ends_are_those_of_llama_cpp(name: str, tmp_path: Path) -> None:
    random = Random(name)
    texts = [*TEXTS, *("".join(random.choices(_PARTS, k=random.randint(1, 9))) for _ in range(_NUM_TEXTS))]
    path = write_vocabulary(tmp_path / "vocabulary.gguf", VOCABULARIES[name])
    run = subprocess.run(
        [_PYTHON, _DRIVER, path], input=json.dumps(texts), capture_output=True, text=True, check=True
    )
    found = json.loads(run.stdout)
    tokenizer, ends = described(path)
    assert sorted(ends) == found["ends"]
    for text, ids in zip(texts, found["ids"], strict=True):
        assert tokenizer.encode(text, add_special_tokens=False) == ids, text
