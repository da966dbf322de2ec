"""The decoder of token ids, one at a time, into text that continues the text before them."""

from collections.abc import Sequence

from engine.port.text.tokenizer import Tokenizer

REPLACEMENT = "\ufffd"

# A UTF-8 character lacks at most its last of four bytes, so what it has decodes to at most three replacement
# characters: byte-fallback decoders write one a byte, byte-level decoders one for all of them.
MAX_INCOMPLETE_CHARACTERS = 3

# A window that ends in replacement characters does not move, and decoding it whole each time would make a
# model that babbles invalid bytes quadratic. Past this many ids only as many are kept as three replacement
# characters can stand for, each of at most three bytes, each byte an id of its own.
MAX_WINDOW_TOKENS = 18
MAX_HELD_TOKENS = MAX_INCOMPLETE_CHARACTERS * 3

MAX_CONTEXT_TOKENS = 16


class IncrementalDecoder:
    """The decoder of a growing list of token ids.

    The tokenizer's decoder is a black box here: a window of the last ids is decoded with and without the new
    one, and the difference is what the new one adds. That gives right spaces for sentencepiece tokenizers,
    whose decoder drops the space that starts a text, and works for byte-level, byte-fallback and WordPiece
    ones alike.

    The returned texts and the final flush, joined, are the text that the ids add to the decoded prompt. A
    character is returned whole, with the token that completes it; bytes that can no longer become a character
    are returned as U+FFFD.
    """

    def __init__(self, tokenizer: Tokenizer, context_token_ids: Sequence[int]) -> None:
        """Begin without text. context_token_ids: the prompt's ids, of which only the end is used."""
        self._tokenizer = tokenizer
        self._window = _readable_end(tokenizer, context_token_ids)
        self._text = self._decode()  # of the window
        self._num_returned = len(self._text)  # characters of it that are no longer to be returned
        self._num_settled = len(self._window)  # ids of the window up to its last complete character

    def append(self, token_id: int) -> str:
        """Return the text that this id makes certain; "" while a character is incomplete."""
        self._window.append(token_id)
        text = self._decode()
        if text == self._text and not text.endswith(REPLACEMENT):
            self._window.pop()  # an id that adds nothing must not push out of the window what does
            return ""
        if not text.startswith(self._text[: self._num_returned]):
            text = self._forget_context()
        if not text.endswith(REPLACEMENT):
            return self._complete(text)
        self._text = text
        returned = text[self._num_returned : len(text) - _num_trailing_replacements(text)]
        self._num_returned += len(returned)
        self._bound()
        return returned

    def flush(self) -> str:
        """Return U+FFFD for an incomplete character that is held; the text has ended."""
        held = self._text[self._num_returned :]
        self._num_returned = len(self._text)
        return held

    def _decode(self) -> str:
        if len(self._window) == 1:
            return self._tokenizer.token_text(self._window[0])  # cached
        return self._tokenizer.decode(self._window, skip_special_tokens=False)

    def _forget_context(self) -> str:
        """Cut a run of bytes after the characters that were returned, and return the text of the rest.

        A byte-fallback decoder voids a whole run of bytes for one that fits no character, even those of
        characters that were complete before it."""
        self._window = self._window[self._num_settled :]
        self._num_settled = self._num_returned = 0
        return self._decode()

    def _complete(self, text: str) -> str:
        """Return what is new in a text of whole characters, and drop the ids that no longer matter.

        The ids of the last step stay as context, which are as many as made the last characters complete.
        """
        returned = text[self._num_returned :]
        self._window = self._window[self._num_settled :]
        self._text = self._decode()
        self._num_returned, self._num_settled = len(self._text), len(self._window)
        return returned

    def _bound(self) -> None:
        """Drop ids from the front of a window whose end stays incomplete."""
        if len(self._window) <= MAX_WINDOW_TOKENS:
            return
        num_held = max(len(self._text) - self._num_returned, 0)
        self._window = self._window[-MAX_HELD_TOKENS:]
        self._text = self._decode()
        self._num_returned = max(len(self._text) - num_held, 0)
        self._num_settled = 0


def _num_trailing_replacements(text: str) -> int:
    """Return the number of characters at the end that may still become others."""
    return min(len(text) - len(text.rstrip(REPLACEMENT)), MAX_INCOMPLETE_CHARACTERS)


def _readable_end(tokenizer: Tokenizer, ids: Sequence[int]) -> list[int]:
    """Return the shortest end of `ids` that decodes to text without a cut character."""
    for length in range(1, min(len(ids), MAX_CONTEXT_TOKENS) + 1):
        text = tokenizer.decode(ids[-length:], skip_special_tokens=False)
        if text and REPLACEMENT not in text:
            return list(ids[-length:])
    return list(ids[-MAX_CONTEXT_TOKENS:])
