"""Texts that cannot fit are refused for a bounded cost; all others have the tokens that they always had."""

import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from tokenizers import AddedToken, normalizers

from engine.port.errors import PromptTooLong
from engine.port.text.prompt_length import PromptLength
from engine.port.text.tokenizer import Tokenizer
from tests.unit.engine.port.text.tiny_tokenizers import byte_fallback, byte_level, metaspace

TEXTS = [
    "the quick brown fox " * 5_000,
    "a" * 90_000,
    " " * 90_000,
    "日本語" * 30_000,
    "\x00\x7f€é " * 18_000,
]
MAKERS = [byte_level, byte_fallback, metaspace]


class _Counted:
    """A backend that counts the characters it encodes."""

    def __init__(self, backend: Any) -> None:
        self._backend = backend
        self.num_characters = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._backend, name)

    def encode_batch_fast(self, texts: list[str], **options: Any) -> Any:
        self.num_characters += sum(map(len, texts))
        return self._backend.encode_batch_fast(texts, **options)


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
@pytest.mark.parametrize("make", MAKERS)
def test_a_text_has_at_least_as_many_tokens_as_the_bound_says(
    make: Callable[[], Tokenizer], text: str
) -> None:
    tokenizer = make()
    backend = tokenizer.hf.backend_tokenizer
    num_tokens = len(tokenizer.encode(text, add_special_tokens=False))
    assert PromptLength(backend, backend.get_vocab()).at_least(text, 100) <= num_tokens
    assert PromptLength(backend, backend.get_vocab()).at_least(text, num_tokens) <= num_tokens


@pytest.mark.parametrize("make", MAKERS)
def test_a_text_that_is_far_too_long_is_not_encoded_to_its_end(make: Callable[[], Tokenizer]) -> None:
    backend = _Counted(make().hf.backend_tokenizer)
    assert (
        PromptLength(backend, backend.get_vocab()).at_least("the quick brown fox " * 100_000, 1_000) > 1_000
    )
    assert backend.num_characters <= 65_536


def test_bytes_over_the_longest_token_need_no_encoding() -> None:
    backend = _Counted(byte_level().hf.backend_tokenizer)
    assert PromptLength(backend, backend.get_vocab()).at_least("x" * 1_000_000, 1_000) > 1_000
    assert backend.num_characters == 0


def test_a_normalizer_or_an_added_token_that_takes_text_away_leaves_only_the_tokens_to_count() -> None:
    stripping = byte_level().hf.backend_tokenizer
    stripping.normalizer = normalizers.Replace("x", "")
    assert PromptLength(stripping, stripping.get_vocab()).at_least("x" * 1_000_000, 1_000) == 0
    greedy = byte_level().hf.backend_tokenizer
    greedy.add_tokens([AddedToken("<fill>", lstrip=True, rstrip=True)])
    text = " " * 1_000_000 + "<fill>"
    assert PromptLength(greedy, greedy.get_vocab()).at_least(text, 10**6) <= 10**6


@pytest.mark.parametrize("make", MAKERS)
def test_what_is_far_too_long_is_refused_and_the_error_says_that_it_has_not_counted_all(
    make: Callable[[], Tokenizer],
) -> None:
    with pytest.raises(PromptTooLong, match="at least") as raised:
        make().check_length("the quick brown fox " * 100_000, 512, 3)
    assert raised.value.num_prompt_tokens > 512
    assert raised.value.max_tokens == 3


def test_a_text_that_may_fit_passes() -> None:
    byte_level().check_length("the quick brown fox " * 1_000, 4_000)


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_the_end_of_a_text_is_that_of_the_whole(text: str) -> None:
    tokenizer = byte_level()
    whole = tokenizer.encode(text)
    kept = tokenizer.encode_end(text, 100)
    num_added = sum(span.stop == span.start for span in tokenizer.encode_with_offsets("a"))
    assert len(kept) == 100
    assert kept[num_added:] == whole[-(100 - num_added) :]


@pytest.mark.parametrize("make", MAKERS)
def test_other_threads_run_while_a_long_text_is_encoded(make: Callable[[], Tokenizer]) -> None:
    """Measured by the processor time of the whole process between two ticks of a thread: where one call keeps
    the interpreter's lock, all of its time lies between two ticks, on a loaded machine too."""
    tokenizer = make()
    text = "the quick brown fox " * 30_000
    gaps: list[float] = []
    is_over = threading.Event()

    def tick() -> None:
        last = time.process_time()
        while not is_over.wait(0.001):
            now = time.process_time()
            gaps.append(now - last)
            last = now

    thread = threading.Thread(target=tick)
    thread.start()
    started = time.process_time()
    spans = tokenizer.encode_with_offsets(text)
    tokenizer.decode(tokenizer.encode(text), skip_special_tokens=False)
    total = time.process_time() - started
    is_over.set()
    thread.join()
    assert len(spans) > 100_000
    assert sys.getswitchinterval() < 0.05
    assert max(gaps) < max(total / 4, 0.05)
