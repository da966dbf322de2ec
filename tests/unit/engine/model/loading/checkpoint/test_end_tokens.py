"""A sequence ends with each token that a file of the model names as its end, and the start says which."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.model.loading.checkpoint.end_tokens import NamedEnds, ends_note, read_end_token_ids
from engine.port.text.tokenizer import Tokenizer
from tests.support.tiny_models.text import tiny_tokenizer

SIZE = 274
PAD, END, USER = 270, 271, 272  # END is the tokenizer's own
PLAIN = 2  # a piece of text
DEFAULT = 3  # of the configuration's class, which config.json does not name


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("tokenizer")
    tiny_tokenizer().save_pretrained(place)
    return place


# generation_config.json, config.json and the tokens that end.
_FILES: dict[str, tuple[dict[str, Any], dict[str, Any], tuple[int, ...]]] = {
    "all the same": ({"eos_token_id": END}, {"eos_token_id": END}, (END,)),
    "the tokenizer's is another": ({"eos_token_id": PAD}, {"eos_token_id": PAD}, (PAD, END)),
    "a list, and one of it": ({"eos_token_id": [PAD, END]}, {"eos_token_id": END}, (PAD, END)),
    "three": ({"eos_token_id": PAD}, {"eos_token_id": USER}, (PAD, USER, END)),
    "of the part for text": (
        {}, {"text_config": {"eos_token_id": USER}, "eos_token_id": PAD}, (PAD, USER, END)
    ),
    "of a part for images": ({}, {"vision_config": {"eos_token_id": USER}, "eos_token_id": PAD}, (PAD, END)),
    "no configuration names any": ({}, {}, (DEFAULT, END)),
    "a class's default": ({"eos_token_id": END}, {}, (END,)),
    "a piece of text in config.json": ({"eos_token_id": END}, {"eos_token_id": PLAIN}, (END,)),
    "a piece of text in both": ({"eos_token_id": PLAIN}, {"eos_token_id": PLAIN}, (PLAIN, END)),
}  # fmt: skip


@pytest.mark.parametrize("case", _FILES)
def test_each_end_token_of_the_files_ends(directory: Path, case: str) -> None:
    generation, config, expected = _FILES[case]
    (directory / "generation_config.json").write_text(json.dumps(generation))
    named = read_end_token_ids(directory, config, DEFAULT, SIZE)
    tokenizer = Tokenizer.from_directory(
        directory, vocab_size=SIZE, end_token_ids=named.ids, doubtful_end_token_ids=named.others
    )
    assert tokenizer.end_token_ids == expected
    note = ends_note(named, tokenizer)
    assert (note is None) == (set(named.ids) == set(expected))
    if note:
        assert note.endswith("each of them ends: " + ", ".join(map(tokenizer.token_text, expected)))


def test_nothing_is_said_where_only_the_tokenizer_names_an_end(directory: Path) -> None:
    tokenizer = Tokenizer.from_directory(directory, vocab_size=SIZE, end_token_ids=())
    assert tokenizer.end_token_ids == (END,)
    assert ends_note(NamedEnds(()), tokenizer) is None
