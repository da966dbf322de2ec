"""The ids of texts between added tokens, remembered from one prompt to the next.

A conversation is rendered and encoded whole in each of its turns, though nearly all of its text is that of
the turn before. A fast tokenizer first splits a text at its added tokens, and then normalizes, splits and
merges each segment by itself (`tokenizers`, AddedVocabulary.extract_and_normalize). So the ids of a segment
depend on its own text, on the added tokens on either side of it, which may take the blanks next to them, and
on whether it begins the text. These are the key under which they are remembered; a segment that is new is
encoded with its two neighbours around it, whose ids are dropped.

An added token separates segments if nothing beyond it can bear on it: it is searched for in the text as it
came (not `normalized`), does not depend on what stands next to it (not `single_word`), and neither begins nor
ends with a blank, which a neighbour could take. All others stay inside segments. A tokenizer with a part that
is not known to work segment by segment is not used in this way (`SegmentEncoder.of`).
"""

import json
import re
from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from itertools import count
from sys import getsizeof
from threading import Lock
from typing import Any, Final

import msgspec
from tokenizers.models import BPE, Unigram, WordLevel, WordPiece

from engine.port.text.patterns import any_of

MAX_BYTES: Final = 32 << 20  # about four million tokens of English
_MAX_SHARE: Final = 16  # a segment takes at most this part of the memory
_MIN_CHARACTERS: Final = 256  # a shorter text is encoded in little more time than its segments are found
_ENTRY_BYTES: Final = 300  # a key without its segment, and its place in the dictionary; 250 were measured

_NORMALIZERS: Final = frozenset(
    {"BertNormalizer", "ByteLevel", "Lowercase", "NFC", "NFD", "NFKC", "NFKD", "Nmt", "Precompiled"}
    | {"Prepend", "Replace", "Strip", "StripAccents"}
)
_PRE_TOKENIZERS: Final = frozenset(
    {"BertPreTokenizer", "ByteLevel", "CharDelimiterSplit", "Digits", "FixedLength", "Metaspace"}
    | {"Punctuation", "Split", "UnicodeScripts", "Whitespace", "WhitespaceSplit"}
)
# Blanks, and characters of several bytes: what a part that works across segments would change.
_TRIAL: Final = ("Hello, wörld ", "\n\n", "", " 12 345", "日本 語\n", "x")

_ENCODERS: Final = count()


class _Key(msgspec.Struct, frozen=True, gc=False):
    """A segment with all that its ids depend on."""

    salt: bytes | None
    """A digest of the request's salt, so that no other salt can be found out by the time that encoding takes,
    and long ones take no memory."""

    encoder: int
    """The number of the encoder."""

    before: str
    """The added token before the segment; "" at the start of the text."""

    segment: str
    """The segment itself."""

    after: str
    """The added token after the segment; "" at the end of the text."""


class TokenMemory:
    """The ids of segments by key; the longest unused are forgotten first.

    num_bytes: the approximate memory of all that is remembered.
    num_known, num_encoded: the numbers of tokens that were ever taken from here, and that had to be encoded.

    Its methods may be called from any thread.
    """

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._ids: OrderedDict[_Key, array[int]] = OrderedDict()
        self._lock = Lock()
        self.num_bytes = 0
        self.num_known = 0
        self.num_encoded = 0

    def get(self, keys: Sequence[_Key]) -> list["array[int] | None"]:
        """Return the ids for each of the keys; None where they are not known."""
        with self._lock:
            found = [self._ids.get(key) for key in keys]
            for key, ids in zip(keys, found, strict=True):
                if ids is not None:
                    self._ids.move_to_end(key)
                    self.num_known += len(ids)
        return found

    def put(self, key: _Key, ids: "array[int]") -> None:
        """Remember ids that have been encoded, unless they would take too large a share."""
        num_bytes = _num_bytes(key, ids)
        is_large = num_bytes > self._max_bytes // _MAX_SHARE
        with self._lock:
            self.num_encoded += len(ids)
            if is_large or key in self._ids:  # two prompts with the same segment may be encoded at once
                return
            self._ids[key] = ids
            self.num_bytes += num_bytes
            while self.num_bytes > self._max_bytes:
                self.num_bytes -= _num_bytes(*self._ids.popitem(last=False))


def _digest(salt: str) -> bytes:
    return blake2b(salt.encode(errors="surrogatepass"), digest_size=16).digest()


def _num_bytes(key: _Key, ids: "array[int]") -> int:
    return _ENTRY_BYTES + getsizeof(key.segment) + getsizeof(ids)


class SegmentEncoder:
    """Encodes texts as a tokenizer does, without the tokens that it adds by itself, and no segment twice.

    separators: the ids of the added tokens between segments, by their text.

    Its method may be called from any thread.
    """

    def __init__(
        self, backend: Any, memory: TokenMemory, translate: Callable[[list[int]], list[int]] = list
    ) -> None:
        """Find the separators.

        backend: a tokenizers.Tokenizer for which `of` has found that this is exact.
        translate: returns the wanted ids for the ids that the backend gives a segment.
        """
        self._backend = backend
        self._memory = memory
        self._translate = translate
        self._number = next(_ENCODERS)
        found = [token for token in backend.get_added_tokens_decoder().items() if not token[1].normalized]
        separators = {token.content: token_id for token_id, token in found if _separates(token)}
        self.separators = {text: translate([token_id])[0] for text, token_id in separators.items()}
        # Of the tokens that begin at a place the longest is found, as by the backend.
        self._tokens = re.compile(any_of([token.content for _, token in found]) or "(?!)")

    @classmethod
    def of(
        cls, backend: Any, memory: TokenMemory, translate: Callable[[list[int]], list[int]] = list
    ) -> "SegmentEncoder | None":
        """Return the encoder; None where segments cannot be proved to be encoded each by itself."""
        if not _has_independent_segments(backend):
            return None
        encoder = cls(backend, memory, translate)
        return encoder if encoder.separators and encoder._is_exact() else None

    def encode(self, text: str, cache_salt: str | None) -> list[int]:
        """Return the text's ids. Raises TypeError for text that has no UTF-8 form, as the backend does.

        cache_salt: the salt of `engine.port.request.GenerationRequest`; only requests of the same salt share
            what is remembered.
        """
        if len(text) < _MIN_CHARACTERS:
            return self._whole(text)
        keys = list(self._segments(text, None if cache_salt is None else _digest(cache_salt)))
        segments = self._memory.get(keys)
        self._fill(keys, segments)
        ids: list[int] = []
        for key, segment in zip(keys, segments, strict=True):
            assert segment is not None
            ids.extend(segment)
            if key.after:
                ids.append(self.separators[key.after])
        return ids

    def _whole(self, text: str) -> list[int]:
        ids: list[int] = self._backend.encode_batch_fast([text], add_special_tokens=False)[0].ids
        return self._translate(ids)

    def _segments(self, text: str, salt: bytes | None) -> Iterator[_Key]:
        start, before = 0, ""
        for match in self._tokens.finditer(text):
            after = match.group()
            if after in self.separators:
                yield _Key(salt, self._number, before, text[start : match.start()], after)
                start, before = match.end(), after
        yield _Key(salt, self._number, before, text[start:], "")

    def _fill(self, keys: Sequence[_Key], segments: list["array[int] | None"]) -> None:
        """Encode the segments that are None, each once."""
        missing = {key: at for at, key in enumerate(keys) if segments[at] is None}
        if not missing:
            return
        texts = [key.before + key.segment + key.after for key in missing]
        encodings = self._backend.encode_batch_fast(texts, add_special_tokens=False)
        for key, encoding in zip(missing, encodings, strict=True):
            ids: list[int] = encoding.ids
            found = array("I", self._translate(ids[bool(key.before) : len(ids) - bool(key.after)]))
            self._memory.put(key, found)
            segments[missing[key]] = found
        for at, key in enumerate(keys):
            if segments[at] is None:
                segments[at] = segments[missing[key]]

    def _is_exact(self) -> bool:
        """Return whether a text with its tokens is encoded as by the backend."""
        tokens = list(self.separators)[: len(_TRIAL)]
        text = "".join(
            segment + tokens[at % len(tokens)] + other
            for at, (segment, other) in enumerate(zip(_TRIAL, reversed(_TRIAL), strict=True))
        )
        text *= 1 + _MIN_CHARACTERS // len(text)
        return self.encode(text, None) == self._whole(text)


def _separates(token: Any) -> bool:
    """Return whether nothing beyond the token can bear on what stands before it or after it."""
    text: str = token.content
    return bool(text) and not token.single_word and not text[0].isspace() and not text[-1].isspace()


def _has_independent_segments(backend: Any) -> bool:
    """Return whether each part of the tokenizer is known to work on one segment at a time."""
    try:
        normalizers = set(_types(backend.normalizer, "normalizers"))
        pre_tokenizers = set(_types(backend.pre_tokenizer, "pretokenizers"))
    except Exception:  # a part of somebody's own, in Python, cannot be written down
        return False
    return (
        normalizers <= _NORMALIZERS
        and pre_tokenizers <= _PRE_TOKENIZERS
        and _is_deterministic(backend.model)
        and not backend.encode_special_tokens
    )


def _is_deterministic(model: Any) -> bool:
    """Return whether the model gives a text the same tokens each time, as none with dropout does."""
    match model:
        case BPE():
            return not model.dropout
        case Unigram():
            return not model.alpha and not model.nbest_size
        case _:
            return isinstance(model, WordPiece | WordLevel)


def _types(part: Any, inner: str) -> Iterator[str]:
    """Yield the types of a normalizer or pre-tokenizer, those inside a sequence too."""
    if part is not None:
        yield from _types_of(json.loads(part.__getstate__()), inner)


def _types_of(state: dict[str, Any], inner: str) -> Iterator[str]:
    if state["type"] != "Sequence":
        yield state["type"]
    for step in state.get(inner, ()):
        yield from _types_of(step, inner)
