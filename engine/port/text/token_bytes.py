"""The bytes of single tokens; a UTF-8 character may be spread over several."""

import json
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

# A character of a byte-level vocabulary for each byte that does not print as itself in Latin-1, as GPT-2's
# encoder numbers them: U+0100 on, in the order of the bytes.
_UNPRINTABLE = [*range(0x21), *range(0x7F, 0xA1), 0xAD]
_BYTES = {chr(byte): byte for byte in range(256) if byte not in _UNPRINTABLE} | {
    chr(0x100 + at): byte for at, byte in enumerate(_UNPRINTABLE)
}
_BYTE_TOKEN = re.compile(r"<0x([0-9A-F]{2})>")


class TokenBytes:
    """The bytes of one Rust tokenizer's tokens; its decoder shows of which kind it is.

    Byte-level vocabularies spell bytes as characters, and sentencepiece ones have tokens such as <0xE2> for
    bytes that no other token has. Any other token is the text that it adds after another one, with the
    space that decoders drop at the start of a text.
    """

    def __init__(self, backend: Any) -> None:
        """Find the tokenizer's kind by its decoder. backend: a `tokenizers.Tokenizer`."""
        self._backend = backend
        self._kinds = frozenset(_kinds(backend.decoder))
        self._known: dict[int, bytes] = {}  # asked for the same few ids all the time

    def __call__(self, token_id: int) -> bytes:
        """Return the token's bytes; none for an id that the tokenizer does not know."""
        data = self._known.get(token_id)
        if data is None:
            data = self._known[token_id] = self._find(token_id)
        return data

    def _find(self, token_id: int) -> bytes:
        token: str | None = self._backend.id_to_token(token_id)
        if token is None:
            return b""
        if "ByteLevel" in self._kinds:
            # A token that has other characters was added to the vocabulary as it is.
            return bytes(_BYTES[char] for char in token) if _BYTES.keys() >= set(token) else token.encode()
        if "ByteFallback" in self._kinds and (found := _BYTE_TOKEN.fullmatch(token)):
            return bytes.fromhex(found[1])
        return self._behind_another(token_id).encode()

    def _behind_another(self, token_id: int) -> str:
        before = self._decode(*self._another)
        text = self._decode(*self._another, token_id)
        return text[len(before) :] if text.startswith(before) else self._decode(token_id)

    @cached_property
    def _another(self) -> tuple[int, ...]:
        """The id of a word, or of a part of one; none if there is no such token."""
        ids = range(self._backend.get_vocab_size())
        return next(((token_id,) for token_id in ids if self._decode(token_id).isalnum()), ())

    def _decode(self, *token_ids: int) -> str:
        text: str = self._backend.decode(list(token_ids), skip_special_tokens=False)
        return text


def _kinds(decoder: Any) -> Iterator[str]:
    """Yield the names of all decoders that a decoder consists of."""
    waiting = [] if decoder is None else [json.loads(decoder.__getstate__())]
    while waiting:
        made = waiting.pop()
        yield made["type"]
        waiting += made.get("decoders", ())
