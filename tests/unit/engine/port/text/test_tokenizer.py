from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.port.errors import InvalidRequest, ModelNotSupported
from engine.port.text.tokenizer import Tokenizer, TokenSpan, byte_spans
from tests.unit.engine.port.text import tiny_tokenizers

BYTE_LEVEL = tiny_tokenizers.byte_level()


def test_a_directory_gives_the_tokenizer_that_was_saved_to_it(tmp_path: Path) -> None:
    hf: Any = BYTE_LEVEL.hf
    hf.save_pretrained(tmp_path)
    loaded = Tokenizer.from_directory(tmp_path, vocab_size=1000, end_token_ids=(3,))
    assert loaded.encode("the café €") == BYTE_LEVEL.encode("the café €")
    own = BYTE_LEVEL.hf.eos_token_id
    assert (loaded.vocab_size, loaded.end_token_ids) == (1000, (3, own))


def test_a_directory_without_a_tokenizer_is_not_supported(tmp_path: Path) -> None:
    with pytest.raises(ModelNotSupported, match="tokenizer"):
        Tokenizer.from_directory(tmp_path, vocab_size=10, end_token_ids=())


def test_truncation_and_padding_of_the_tokenizer_file_leave_prompts_alone() -> None:
    tokenizer = tiny_tokenizers.byte_level()
    backend = tokenizer.hf.backend_tokenizer
    backend.enable_truncation(4)
    backend.enable_padding(length=64)
    wrapped = Tokenizer(tokenizer.hf, vocab_size=tokenizer.vocab_size, end_token_ids=())
    assert wrapped.encode("the quick brown fox jumps") == BYTE_LEVEL.encode("the quick brown fox jumps")


def test_special_tokens_are_added_only_if_asked() -> None:
    plain = BYTE_LEVEL.encode("fox", add_special_tokens=False)
    with_special = BYTE_LEVEL.encode("fox")
    assert with_special == [with_special[0], *plain]
    assert BYTE_LEVEL.is_special(with_special[0])
    assert not any(BYTE_LEVEL.is_special(token_id) for token_id in plain)
    assert BYTE_LEVEL.token_text(with_special[0]) == tiny_tokenizers.BOS


@given(text=st.text(st.characters(codec="utf-8"), max_size=30))
def test_spans_in_bytes_cut_the_text_as_spans_in_characters_do(text: str) -> None:
    spans = BYTE_LEVEL.encode_with_offsets(text)
    encoded = text.encode()
    for span, in_bytes in zip(spans, byte_spans(text, spans), strict=True):
        assert encoded[in_bytes.start : in_bytes.stop].decode() == text[span.start : span.stop]
        assert in_bytes.token_id == span.token_id


@pytest.mark.parametrize(
    "make", [tiny_tokenizers.byte_level, tiny_tokenizers.byte_fallback, tiny_tokenizers.metaspace]
)
@pytest.mark.parametrize("adds_special", [True, False])
@pytest.mark.parametrize(
    "text", ["", "fox", " the  quick\nfox ", "é€🦊 café", f"{tiny_tokenizers.BOS}fox jumps"]
)
def test_prompts_have_the_same_tokens_with_their_offsets_and_without(
    make: Callable[[], Tokenizer], adds_special: bool, text: str
) -> None:
    spans = make().encode_with_offsets(text, add_special_tokens=adds_special)
    assert make().encode(text, add_special_tokens=adds_special) == [span.token_id for span in spans]


def test_offsets_count_characters_and_added_tokens_cover_nothing() -> None:
    spans = BYTE_LEVEL.encode_with_offsets("é fox")
    assert spans[0] == TokenSpan(spans[0].token_id, 0, 0)
    assert spans[-1].stop == 5
    assert byte_spans("é fox", spans)[-1].stop == 6


def test_ids_that_no_token_has_are_not_known() -> None:
    tokenizer = tiny_tokenizers.byte_level(vocab_size=2000)
    num_tokens = tokenizer.hf.backend_tokenizer.get_vocab_size()
    assert tokenizer.known_ids == frozenset(range(num_tokens))
    assert tokenizer.token_text(1999) == ""
    assert tiny_tokenizers.byte_level(vocab_size=100).known_ids == frozenset(range(100))


def test_threads_may_encode_at_the_same_time() -> None:
    texts = [f"the quick fox {number}" for number in range(200)]
    expected = [
        BYTE_LEVEL.encode(text, add_special_tokens=number % 2 == 0) for number, text in enumerate(texts)
    ]
    with ThreadPoolExecutor(8) as pool:
        encoded = list(
            pool.map(
                lambda item: BYTE_LEVEL.encode(item[1], add_special_tokens=item[0] % 2 == 0), enumerate(texts)
            )
        )
    assert encoded == expected


def test_text_without_a_utf8_form_is_an_invalid_request() -> None:
    with pytest.raises(InvalidRequest, match="surrogate"):
        BYTE_LEVEL.encode("a\ud800")
