"""Text to token ids and back; the engine's only way to a tokenizer."""

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

import msgspec
from transformers import AutoTokenizer, PreTrainedTokenizerBase, PreTrainedTokenizerFast

from engine.errors import InvalidRequest, ModelNotSupported
from engine.token_bytes import TokenBytes

LONE_SURROGATE: Final = "the text holds a lone surrogate, which is no Unicode character"


class TokenSpan(msgspec.Struct, frozen=True):
    """A token and the half-open range of the text that it covers, in the unit that its maker states.

    A token that the tokenizer adds by itself covers nothing: start == stop.
    """

    token_id: int
    start: int
    stop: int


class Tokenizer:
    """A transformers fast tokenizer beside the size of its model's vocabulary.

    Every method may be called from any thread: encoding goes straight to the Rust tokenizer, because
    transformers' own call alters truncation and padding settings, which fails when another thread encodes.
    """

    def __init__(
        self, hf: PreTrainedTokenizerBase, *, vocab_size: int, end_token_ids: tuple[int, ...]
    ) -> None:
        """vocab_size: the model's, so the number of its logits; it may exceed what the tokenizer knows.

        end_token_ids: the ids that end a sequence, as the model's generation config lists them.
        Raises ModelNotSupported where `hf` has no fast (Rust) backend.
        """
        if not isinstance(hf, PreTrainedTokenizerFast):
            raise ModelNotSupported(f"{type(hf).__name__} is no fast tokenizer: it has no tokenizer.json")
        self.hf = hf
        self.vocab_size = vocab_size
        self.end_token_ids = end_token_ids
        self._backend: Any = hf.backend_tokenizer
        # tokenizer.json may ask for truncation or padding, which would alter prompts unseen.
        self._backend.no_truncation()
        self._backend.no_padding()
        self._special_ids = frozenset(
            token_id for token_id, token in self._backend.get_added_tokens_decoder().items() if token.special
        )
        self._texts: dict[int, str] = {}  # token_text is asked for the same few ids all the time
        self._bytes = TokenBytes(self._backend)

    @classmethod
    def from_directory(
        cls,
        path: str | Path,
        *,
        vocab_size: int,
        end_token_ids: tuple[int, ...],
        trust_remote_code: bool = False,
    ) -> "Tokenizer":
        """Loads the tokenizer files in `path`; never goes to the network.

        Raises ModelNotSupported where there are none that make a fast tokenizer.
        """
        try:
            hf = AutoTokenizer.from_pretrained(
                str(path), local_files_only=True, trust_remote_code=trust_remote_code
            )
        except (OSError, ValueError) as error:
            raise ModelNotSupported(f"no tokenizer can be loaded from {path}: {error}") from error
        return cls(hf, vocab_size=vocab_size, end_token_ids=end_token_ids)

    @cached_property
    def known_ids(self) -> frozenset[int]:
        """The ids below `vocab_size` that stand for a token; the model's other logits mean nothing."""
        ids = self._backend.get_vocab(with_added_tokens=True).values()
        return frozenset(token_id for token_id in ids if token_id < self.vocab_size)

    def encode(self, text: str, *, add_special_tokens: bool = True) -> list[int]:
        """Raises InvalidRequest for text that has no UTF-8 form (a lone surrogate)."""
        # Alone of the backend's ways, this one leaves out the offsets, which are a fifth of the work.
        ids: list[int] = self._encode(self._backend.encode_batch_fast, [text], add_special_tokens)[0].ids
        return ids

    def encode_with_offsets(self, text: str, *, add_special_tokens: bool = True) -> list[TokenSpan]:
        """As `encode`, with each token's range of `text` in characters."""
        encoding = self._encode(self._backend.encode, text, add_special_tokens)
        return [
            TokenSpan(token_id, start, stop)
            for token_id, (start, stop) in zip(encoding.ids, encoding.offsets, strict=True)
        ]

    def _encode(self, encode: Callable[..., Any], text: str | list[str], add_special_tokens: bool) -> Any:
        try:
            return encode(text, add_special_tokens=add_special_tokens)
        except TypeError as error:  # all that the Rust side says of a str which is no UTF-8
            raise InvalidRequest(LONE_SURROGATE) from error

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool) -> str:
        """Ids that the tokenizer does not know add nothing."""
        text: str = self._backend.decode(ids, skip_special_tokens=skip_special_tokens)
        return text

    def is_special(self, token_id: int) -> bool:
        """Whether the tokenizer marks the token as special, so that skip_special_tokens leaves it out."""
        return token_id in self._special_ids

    def token_text(self, token_id: int) -> str:
        """The token decoded alone, special tokens kept; bytes that are no UTF-8 show as U+FFFD."""
        text = self._texts.get(token_id)
        if text is None:
            text = self._texts[token_id] = self.decode([token_id], skip_special_tokens=False)
        return text

    def token_bytes(self, token_id: int) -> bytes:
        """What the token adds to the text that stands before it, special tokens kept, as UTF-8.

        A character may be spread over tokens: only the bytes of all of them, joined, are text for certain.
        """
        return self._bytes(token_id)


def byte_spans(text: str, spans: Sequence[TokenSpan]) -> list[TokenSpan]:
    """The same spans counted in bytes of `text` as UTF-8 instead of in characters."""
    offsets = [0, *accumulate(len(character.encode()) for character in text)]
    return [TokenSpan(span.token_id, offsets[span.start], offsets[span.stop]) for span in spans]
