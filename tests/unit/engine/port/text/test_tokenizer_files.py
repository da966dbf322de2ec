"""A tokenizer's files read without transformers give what transformers makes of them."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from transformers import AutoTokenizer

from engine.demo_model import DEMO_MODEL
from engine.demo_vision import DEMO_VISION
from engine.port.errors import LibrariesMissing
from engine.port.text import tokenizer as module
from engine.port.text.tokenizer import Tokenizer
from engine.port.text.tokenizer_files import TokenizerFiles
from tests.unit.engine.port.text import tiny_tokenizers

TEXTS = ("Hello ACGT 0123 你好", "the  quick\n\nbrown <|mark|> fox", "café 😀 naïve", "", " <s>a</s>")
MADE = {
    "byte_level": tiny_tokenizers.byte_level,
    "byte_fallback": tiny_tokenizers.byte_fallback,
    "metaspace": tiny_tokenizers.metaspace,
}


def without_decoder(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings as older checkpoints have them, whose added tokens are in tokenizer.json only."""
    return {name: value for name, value in settings.items() if name != "added_tokens_decoder"}


def with_more(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings with templates by name, and with tokens that tokenizer.json lacks."""
    templates = [{"name": name, "template": name} for name in ("default", "tool_use")]
    pad = {"__type": "AddedToken", "content": "<|pad|>", "special": True}
    return {
        **settings,
        "chat_template": templates,
        "extra_special_tokens": ["<|more|>"],
        "pad_token": pad,
    }


@pytest.fixture(params=[*MADE, "demo", "demo_vision"])
def directory(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A directory with the files of a tokenizer."""
    if request.param in MADE:
        hf: Any = MADE[request.param]().hf
        hf.save_pretrained(tmp_path)
    else:
        source = DEMO_MODEL if request.param == "demo" else DEMO_VISION
        for name in ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja"):
            if (source / name).is_file():
                shutil.copy(source / name, tmp_path)
    return tmp_path


@pytest.mark.parametrize("changed", [dict, without_decoder, with_more])
def test_the_files_give_what_transformers_makes_of_them(directory: Path, changed: Any) -> None:
    settings = directory / "tokenizer_config.json"
    settings.write_text(json.dumps(changed(json.loads(settings.read_text()))))
    expected: Any = AutoTokenizer.from_pretrained(str(directory))
    found = TokenizerFiles(directory)
    for text in TEXTS:
        for adds in (False, True):
            own = found.backend_tokenizer.encode(text, add_special_tokens=adds).ids
            assert own == expected(text, add_special_tokens=adds)["input_ids"]
    assert found.special_tokens_map == expected.special_tokens_map
    assert found.get_added_vocab() == expected.get_added_vocab()
    special = {token_id: token.special for token_id, token in found.added_tokens_decoder.items()}
    assert special == {token_id: token.special for token_id, token in expected.added_tokens_decoder.items()}
    assert found.chat_template == expected.chat_template
    assert (found.bos_token_id, found.eos_token_id) == (expected.bos_token_id, expected.eos_token_id)


@pytest.mark.parametrize("trust", [False, True])
def test_what_only_transformers_reads_is_refused_with_its_extra(
    trust: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "missing", lambda extra: [extra])
    with pytest.raises(LibrariesMissing, match=r"pip install 'verbatim-server\[transformers\]'"):
        Tokenizer.from_directory(tmp_path, vocab_size=9, end_token_ids=(), trust_remote_code=trust)


def test_without_transformers_a_tokenizer_is_made_of_its_files(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "missing", lambda extra: [extra])
    loaded = Tokenizer.from_directory(directory, vocab_size=4096, end_token_ids=())
    assert isinstance(loaded.hf, TokenizerFiles)
    assert loaded.decode(loaded.encode("the quick fox"), skip_special_tokens=True) == "the quick fox"
