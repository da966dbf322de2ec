from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer as Backend
from tokenizers import decoders, models, pre_tokenizers

from engine.demo_model import DEMO_MODEL
from engine.port.text.incremental_decoder import IncrementalDecoder
from engine.port.text.token_bytes import TokenBytes
from engine.port.text.tokenizer import Tokenizer
from tests.unit.engine.port.text.tiny_tokenizers import EOS, WORDS, byte_fallback, byte_level, metaspace

DEMO = Tokenizer.from_directory(DEMO_MODEL, vocab_size=1536, end_token_ids=())
TOKENIZERS = {"byte level": byte_level(), "byte fallback": byte_fallback(), "the demo model's": DEMO}


def joined(tokenizer: Tokenizer, token_ids: list[int]) -> bytes:
    return b"".join(map(tokenizer.token_bytes, token_ids))


@given(text=st.text(st.characters(codec="utf-8", exclude_characters="▁"), max_size=30))
@pytest.mark.parametrize("name", TOKENIZERS)
def test_the_bytes_of_a_texts_tokens_are_the_text(name: str, text: str) -> None:
    tokenizer = TOKENIZERS[name]
    start, *token_ids = tokenizer.encode(f"the{text}", add_special_tokens=False)
    assert (tokenizer.token_bytes(start) + joined(tokenizer, token_ids)).decode().lstrip(" ") == f"the{text}"


@pytest.mark.parametrize("make", [byte_level, byte_fallback, metaspace])
def test_the_bytes_of_tokens_are_what_decoding_adds(make: Callable[[], Tokenizer]) -> None:
    tokenizer = make()
    prompt = tokenizer.encode("the", add_special_tokens=False)
    token_ids = tokenizer.encode(" ".join(WORDS), add_special_tokens=False)
    decoder = IncrementalDecoder(tokenizer, prompt)
    text = "".join(map(decoder.append, token_ids)) + decoder.flush()
    assert joined(tokenizer, token_ids).decode() == text


def test_a_character_may_be_spread_over_tokens() -> None:
    for tokenizer in (byte_level(), byte_fallback()):
        pieces = [tokenizer.token_bytes(id) for id in tokenizer.encode("€", add_special_tokens=False)]
        assert b"\xe2" in pieces and b"".join(pieces).lstrip() == "€".encode()


def test_special_tokens_are_their_text_and_unknown_ids_are_nothing() -> None:
    for tokenizer in (byte_level(vocab_size=5000), byte_fallback(), metaspace()):
        [eos_id] = tokenizer.end_token_ids
        assert tokenizer.token_bytes(eos_id) == EOS.encode()
        assert tokenizer.token_bytes(4999) == b""


def test_an_added_token_of_other_characters_than_bytes_have_is_its_text() -> None:
    tokenizer = byte_level()
    tokenizer.hf.backend_tokenizer.add_tokens(["<｜end▁of▁turn｜>"])
    [token_id] = tokenizer.encode("<｜end▁of▁turn｜>", add_special_tokens=False)
    assert tokenizer.token_bytes(token_id).decode() == "<｜end▁of▁turn｜>"


def test_a_part_of_a_word_has_no_space_and_a_word_has_one() -> None:
    backend = Backend(models.WordPiece(vocab={"[UNK]": 0, "play": 1, "##ing": 2}, unk_token="[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    backend.decoder = decoders.WordPiece()
    token_bytes = TokenBytes(backend)
    assert [token_bytes(token_id) for token_id in (1, 2)] == [b" play", b"ing"]
