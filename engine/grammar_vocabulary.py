"""What a grammar takes the tokens of a vocabulary for: bytes."""

from collections.abc import Sequence


class GrammarVocabulary:
    """The tokens of one tokenizer. Those that stand for no text, like hidden special ones, have no bytes."""

    def __init__(self, tokens: Sequence[bytes]) -> None:
        """tokens: by id."""
        self._tokens = tokens
        self._texts = frozenset(tokens) - {b""}
        self._max_length = max(map(len, tokens), default=0)

    def text_behind(self, token_id: int, text: bytes) -> bytes:
        """What is left of a text that begins with the token; nothing of any other."""
        token = self._tokens[token_id] if token_id < len(self._tokens) else b""
        return text[len(token) :] if token and text.startswith(token) else b""

    def has_choice(self, text: bytes) -> bool:
        """Whether a text may begin with more than one token, all of each lying in it."""
        ends = range(1, min(len(text), self._max_length) + 1)
        beginnings = (end for end in ends if text[:end] in self._texts)
        return next(beginnings, None) is not None and next(beginnings, None) is not None
