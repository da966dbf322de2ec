"""The conversion of text to token ids and back; the engine's only access to a tokenizer."""

from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

import msgspec

from engine.extras import how_to_install, missing
from engine.port.errors import InvalidRequest, LibrariesMissing, ModelNotSupported, PromptTooLong
from engine.port.text.prompt_length import PromptLength
from engine.port.text.token_bytes import TokenBytes
from engine.port.text.token_memory import SegmentEncoder, TokenMemory
from engine.port.text.tokenizer_files import FastTokenizer, TokenizerFiles

LONE_SURROGATE: Final = "the text holds a lone surrogate, which is no Unicode character"
# Decoding more takes longer than other threads should wait.
_MAX_LOCKED_IDS: Final = 256
_TRIAL = "Hello ACGT 0123 你好"  # for models of languages, and of genomes


class TokenSpan(msgspec.Struct, frozen=True):
    """A token and the half-open range of the text that it covers, in the unit that its maker states.

    A token that the tokenizer adds by itself covers no text: start == stop.
    """

    token_id: int
    start: int
    stop: int


class Tokenizer:
    """A fast tokenizer with the size of its model's vocabulary.

    known_ids: the ids below `vocab_size` that stand for a token; the model's other logits mean nothing.
    memory: the ids of texts in prompts of conversations.

    Every method may be called from any thread: encoding goes straight to the Rust tokenizer, because
    transformers' own call alters truncation and padding settings, which fails when another thread encodes.
    """

    def __init__(self, hf: FastTokenizer, *, vocab_size: int, end_token_ids: tuple[int, ...]) -> None:
        """Wrap a tokenizer of transformers, or one of its files.

        vocab_size: the number of the model's logits, which may exceed the tokenizer's vocabulary.
        end_token_ids: the ids that end a sequence, as the model's files list them.
        Raises ModelNotSupported where `hf` has no fast (Rust) backend.
        """
        if not hasattr(hf, "backend_tokenizer"):
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
        # Once, since a large vocabulary takes a fifth of a second.
        vocabulary: dict[str, int] = self._backend.get_vocab(with_added_tokens=True)
        self._length = PromptLength(self._backend, vocabulary)
        self.known_ids = frozenset(token_id for token_id in vocabulary.values() if token_id < vocab_size)
        self.memory = TokenMemory()
        self._segments = SegmentEncoder.of(self._backend, self.memory)

    @classmethod
    def from_directory(
        cls,
        path: str | Path,
        *,
        vocab_size: int,
        end_token_ids: tuple[int, ...],
        doubtful_end_token_ids: tuple[int, ...] = (),
        trust_remote_code: bool = False,
        as_written: bool = False,
    ) -> "Tokenizer":
        """Load the tokenizer files in `path`, without network access.

        The tokenizer's own end token ends too. doubtful_end_token_ids: those that end only where they are
        added tokens, as all that mark an end are, and no pieces of text.
        as_written: whether tokenizer.json is taken as it is, whatever class transformers has for the model.
        Such a class makes the tokenizer anew from the file's vocabulary, and splits text as its model does.
        Where transformers is not installed, tokenizer.json is taken as it is, too.
        Raises ModelNotSupported if the files do not make a fast tokenizer, and LibrariesMissing where only
        transformers could read them.
        """
        try:
            hf = _read_files(Path(path), trust_remote_code, as_written=as_written)
        except LibrariesMissing:
            raise
        except Exception as error:  # whatever a file that is no tokenizer's brings up
            reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
            raise ModelNotSupported(f"no tokenizer can be loaded from {path}: {reason}") from error
        own = hf.eos_token_id
        added = getattr(hf, "added_tokens_decoder", {})
        ends = (
            *end_token_ids,
            *(each for each in doubtful_end_token_ids if each in added),
            *([own] if isinstance(own, int) and own < vocab_size else []),
        )
        tokenizer = cls(hf, vocab_size=vocab_size, end_token_ids=tuple(dict.fromkeys(ends)))
        tokenizer._try(path)
        return tokenizer

    def _try(self, path: str | Path) -> None:
        """Encode and decode a plain text as a trial.

        Raises ModelNotSupported if the text does not come back, as from the empty tokenizer that transformers
        makes where there are no files.
        """
        ids = self.encode(_TRIAL, add_special_tokens=False)
        if not any(character in self.decode(ids, skip_special_tokens=True) for character in _TRIAL.strip()):
            raise ModelNotSupported(f"{path} has no tokenizer that can read and write {_TRIAL!r}")
        if unknown := [token_id for token_id in ids if token_id >= self.vocab_size]:
            raise ModelNotSupported(
                f"the tokenizer in {path} does not belong to the model: it gives token {max(unknown)}, and "
                f"the model knows {self.vocab_size}"
            )

    def encode(self, text: str, *, add_special_tokens: bool = True) -> list[int]:
        """Return the text's ids. Raises InvalidRequest for text that has no UTF-8 form (a lone surrogate)."""
        # Alone of the backend's ways, this one leaves out the offsets, which are a fifth of the work.
        ids: list[int] = self._encode(self._backend.encode_batch_fast, [text], add_special_tokens)[0].ids
        return ids

    @property
    def remembers(self) -> bool:
        """True if `encode_segments` remembers anything, which it does where that is exact."""
        return self._segments is not None

    def encode_segments(self, text: str, cache_salt: str | None) -> list[int]:
        """Encode as `encode` does, without the tokens that the tokenizer adds by itself, and remember the ids
        of the text between added tokens, for prompts of the same salt.

        Raises InvalidRequest for text that has no UTF-8 form.
        """
        if self._segments is None:
            return self.encode(text, add_special_tokens=False)
        try:
            return self._segments.encode(text, cache_salt)
        except TypeError as error:
            raise _no_unicode() from error

    def encode_with_offsets(self, text: str, *, add_special_tokens: bool = True) -> list[TokenSpan]:
        """Encode as `encode` does, and return each token with its range of `text` in characters."""
        # A batch, for `encode` keeps the interpreter's lock, and so does `offsets`, to make all of them.
        encoding = self._encode(self._backend.encode_batch, [text], add_special_tokens)[0]
        return [
            TokenSpan(token_id, *(encoding.token_to_chars(place) or (0, 0)))
            for place, token_id in enumerate(encoding.ids)
        ]

    def encode_end(self, text: str, num_tokens: int) -> list[int]:
        """Encode as `encode` does, but return at most `num_tokens`: the tokens that the tokenizer puts before
        a text, and the last tokens of the text.

        Only the end of a long text is read, so that the first tokens may be cut differently there.
        """
        tail = self._length.tail(text, num_tokens)
        encoding = self._encode(self._backend.encode_batch, [tail], True)[0]
        ids: list[int] = encoding.ids
        if tail == text and len(ids) <= num_tokens:
            return ids
        num_added = next(
            (place for place in range(len(ids)) if _covers_text(encoding.token_to_chars(place))), len(ids)
        )
        num_kept = min(num_added, num_tokens - 1)  # a prompt of nothing but added tokens would say nothing
        return ids[:num_kept] + ids[len(ids) - (num_tokens - num_kept) :]

    def check_length(self, text: str, max_total_tokens: int, max_tokens: int = 0) -> None:
        """Refuse a text that cannot fit, at a cost bounded by the context rather than by the text.

        Encoding a text that passes is bounded likewise; it may still be too long.
        max_tokens: the number of tokens requested after the text, for the message.
        Raises PromptTooLong, and InvalidRequest for text that has no UTF-8 form.
        """
        try:
            num_tokens = self._length.at_least(text, max_total_tokens)
        except TypeError as error:
            raise _no_unicode() from error
        if num_tokens > max_total_tokens:
            raise PromptTooLong(num_tokens, max_tokens, max_total_tokens, is_exact=False)

    def _encode(self, encode: Callable[..., Any], text: str | list[str], add_special_tokens: bool) -> Any:
        try:
            return encode(text, add_special_tokens=add_special_tokens)
        except TypeError as error:  # all that the Rust side says of a str which is no UTF-8
            raise _no_unicode() from error

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool) -> str:
        """Return the text of the ids; ids that the tokenizer does not know add nothing."""
        # A single token is decoded sooner than a batch is made; a batch leaves the interpreter's lock.
        if len(ids) > _MAX_LOCKED_IDS:
            texts: list[str] = self._backend.decode_batch([ids], skip_special_tokens=skip_special_tokens)
            return texts[0]
        text: str = self._backend.decode(ids, skip_special_tokens=skip_special_tokens)
        return text

    def token_id(self, token: str) -> int | None:
        """Return the id of the token of this name; None where the model's vocabulary has none."""
        token_id: int | None = self._backend.token_to_id(token)
        return token_id if token_id is not None and token_id < self.vocab_size else None

    def token_names(self, ids: Sequence[int]) -> list[str]:
        """Return the tokens as the vocabulary writes them, such as `Ġworld`."""
        return [str(self._backend.id_to_token(token_id)) for token_id in ids]

    def first_token(self, text: str) -> str:
        """Return the name of the token that a text begins with, special ones left out; "" for no token."""
        ids = self.encode(text, add_special_tokens=False)
        token: str = self._backend.id_to_token(ids[0]) if ids else ""
        return token

    def is_special(self, token_id: int) -> bool:
        """Return whether the tokenizer marks the token as special, so that it can be left out of texts."""
        return token_id in self._special_ids

    def token_text(self, token_id: int) -> str:
        """Return the token decoded alone, special tokens kept; bytes that are no UTF-8 show as U+FFFD."""
        text = self._texts.get(token_id)
        if text is None:
            text = self._texts[token_id] = self.decode([token_id], skip_special_tokens=False)
        return text

    def token_bytes(self, token_id: int) -> bytes:
        """Return the bytes that the token adds to the text before it, special tokens kept, as UTF-8.

        A character may be spread over tokens: only the joined bytes of all of them are certainly text.
        """
        return self._bytes(token_id)


def _read_files(path: Path, trust_remote_code: bool, *, as_written: bool) -> Any:
    """Return the FastTokenizer of a directory. Raises LibrariesMissing, and whatever the libraries raise."""
    if missing("transformers"):
        if trust_remote_code or not (path / "tokenizer.json").is_file():
            reason = "trust_remote_code" if trust_remote_code else f"{path}, which has no tokenizer.json,"
            raise LibrariesMissing(f"{reason} needs transformers: {how_to_install('transformers')}")
        return TokenizerFiles(path)
    # It takes seconds to import, and `verbatim contracts`, which imports all handlers, encodes nothing.
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    known: Any = PreTrainedTokenizerFast if as_written else AutoTokenizer
    return known.from_pretrained(str(path), local_files_only=True, trust_remote_code=trust_remote_code)


def _covers_text(span: tuple[int, int] | None) -> bool:
    return span is not None and span[1] > span[0]


def _no_unicode() -> InvalidRequest:
    return InvalidRequest(LONE_SURROGATE)


def byte_spans(text: str, spans: Sequence[TokenSpan]) -> list[TokenSpan]:
    """Return the spans counted in bytes of `text` as UTF-8 instead of in characters."""
    offsets = [0, *accumulate(len(character.encode()) for character in text)]
    return [TokenSpan(span.token_id, offsets[span.start], offsets[span.stop]) for span in spans]
