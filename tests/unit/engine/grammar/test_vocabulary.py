"""A vocabulary serves grammars whatever its tokens are."""

import pytest

from engine.grammar.bitmask import has_bit, new_bitmask, words_of
from engine.grammar.lark.matcher import LarkMatcher, compile_lark
from engine.grammar.vocabulary import MAX_TOKEN_BYTES, GrammarVocabulary

BYTES = [bytes([byte]) for byte in range(256)]


@pytest.mark.parametrize("num_bytes", [MAX_TOKEN_BYTES, MAX_TOKEN_BYTES + 1, 20_000])
def test_a_token_longer_than_the_trie_takes_is_never_allowed(num_bytes: int) -> None:
    """llguidance would panic, with an exception that is no Exception; a shorter one is a token as others."""
    tokens = [*BYTES, b" " * num_bytes, b"  ", b""]
    long, short, end = range(256, 259)
    vocabulary = GrammarVocabulary(tokens, ())
    matcher = LarkMatcher(compile_lark("start: /[ a]*/", vocabulary.trie), end, lambda: None)
    allowed = words_of(new_bitmask(1, len(tokens))[0])
    matcher.fill(allowed)
    is_taken = num_bytes <= MAX_TOKEN_BYTES
    assert [has_bit(allowed, token_id) for token_id in (ord("a"), short, long)] == [True, True, is_taken]
    assert matcher.accept(long) is is_taken
    assert matcher.accept(short)
    assert not matcher.is_too_slow
