"""Texts against the grammars of schemas, byte by byte, and texts that these grammars make."""

import random
from functools import cache

import numpy as np

from engine.grammar.lark.byte_matcher import ByteMatcher
from engine.grammar.lark.lark_grammar import LarkGrammar
from engine.grammar.run_time.unique_items import TokenIndex, UniqueItems
from engine.grammar.schema.writing.values import schema_rule

_ENDERS = frozenset(b'"}],')


class SchemaGrammar:
    """The grammar of a schema's values, over a vocabulary of the 256 bytes."""

    def __init__(self, schema: object) -> None:
        """Raises InvalidGrammar where the server refuses the schema."""
        grammar = LarkGrammar()
        self._text = grammar.text(schema_rule(grammar, schema))
        self._matcher = ByteMatcher(self._text)
        self._unique = UniqueItems(self._text, grammar.unique_arrays, _index())

    def allows(self, text: str) -> bool:
        """Return whether the text is whole, and each of its bytes is allowed after those before."""
        matcher, unique = self._matcher.copy(), self._unique.start()
        for byte in text.encode():
            words = _words(matcher)
            unique.exclude(words)
            if byte not in _bytes(words):
                return False
            matcher.follow(bytes([byte]))
            unique.accept(bytes([byte]))
        return matcher.is_whole

    def draw(self, seed: int, *, max_bytes: int = 400) -> str | None:
        """Return a text that is drawn byte by byte, those that end something more often; None if it is not
        whole by then."""
        generator = random.Random(seed)
        matcher, unique, text = self._matcher.copy(), self._unique.start(), b""
        while len(text) < max_bytes:
            words = _words(matcher)
            unique.exclude(words)
            allowed = _bytes(words)
            if matcher.is_whole and (not allowed or generator.random() < 0.7):
                return text.decode()
            assert allowed, text  # a text never comes to a place where it cannot go on
            byte = self._drawn(generator, allowed)
            matcher.follow(bytes([byte]))
            unique.accept(bytes([byte]))
            text += bytes([byte])
        return None

    @staticmethod
    def _drawn(generator: random.Random, allowed: list[int]) -> int:
        enders = [byte for byte in allowed if byte in _ENDERS]
        if enders and generator.random() < 0.5:
            return generator.choice(enders)
        ascii_bytes = [byte for byte in allowed if byte < 0x80]
        return generator.choice(ascii_bytes if ascii_bytes and generator.random() < 0.8 else allowed)

    def texts(self, num_texts: int) -> list[str]:
        """Return those of so many draws that are whole."""
        return [text for seed in range(num_texts) if (text := self.draw(seed)) is not None]


@cache
def _index() -> TokenIndex:
    return TokenIndex([bytes([byte]) for byte in range(256)])


def _words(matcher: ByteMatcher) -> np.ndarray[tuple[int, ...], np.dtype[np.uint32]]:
    words = np.zeros(8, np.uint32)
    for byte in matcher.next_bytes():
        words[byte // 32] |= np.uint32(1) << np.uint32(byte % 32)
    return words


def _bytes(words: np.ndarray[tuple[int, ...], np.dtype[np.uint32]]) -> list[int]:
    return [int(byte) for byte in np.unpackbits(words.view(np.uint8), bitorder="little").nonzero()[0]]
