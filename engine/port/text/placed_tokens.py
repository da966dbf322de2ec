"""The encoding of prompts in which some tokens are given by id, and all text stays text."""

from collections.abc import Collection, Sequence
from functools import cached_property
from secrets import randbelow
from typing import Any, Final

from tokenizers import AddedToken
from tokenizers import Tokenizer as Backend

from engine.port.errors import InvalidRequest
from engine.port.text.token_memory import SegmentEncoder
from engine.port.text.tokenizer import LONE_SURROGATE, Tokenizer

_NUM_NAME_DIGITS: Final = 20
_PROBE: Final = "a"
_NO_CHARACTER: Final = "\U0010ffff"


class PlacedTokens:
    """The encoder of prompts whose parts are token ids and texts.

    The parts are encoded as one text by a copy of the tokenizer that shares its vocabulary, in which each of
    the tokens has a secret name of digits. So a placed token splits the text, and takes the blanks next to
    it, just as if its own name stood there, while that name is text like any other. All other added tokens of
    the tokenizer are read as usual.

    Every method may be called from any thread.
    """

    def __init__(self, tokenizer: Tokenizer, token_ids: Collection[int]) -> None:
        """Copy the tokenizer. token_ids: ids of its added tokens that are never to be read from text."""
        self._tokenizer = tokenizer
        self._token_ids = frozenset(token_ids)
        backend: Any = tokenizer.hf.backend_tokenizer
        self._backend = _bare(backend)
        secret = f"{randbelow(10**_NUM_NAME_DIGITS):0{_NUM_NAME_DIGITS}d}"
        added = sorted(backend.get_added_tokens_decoder().items())
        self._names = {
            token_id: f"{secret}{token_id:07d}" for token_id, _ in added if token_id in self._token_ids
        }
        # New tokens are numbered from the size of the vocabulary on, which may have gaps below higher ids.
        ids = self._backend.get_vocab().values()
        self._backend.add_tokens([f"{secret}-{gap}" for gap in range(max(ids, default=-1) + 1 - len(ids))])
        self._backend.add_tokens([_renamed(token, self._names.get(token_id)) for token_id, token in added])
        self._placed = {self._id_in_copy(name): token_id for token_id, name in self._names.items()}
        others = [(token.content, token_id) for token_id, token in added if token_id not in self._names]
        self._true_ids = self._placed | {self._id_in_copy(name): token_id for name, token_id in others}
        self._unknown_ids = _unknown_ids(backend)

    def encode(self, parts: Sequence[str | int], *, add_special_tokens: bool = False) -> list[int]:
        """Return the ids of the whole prompt. Raises InvalidRequest for text that has no UTF-8 form."""
        ids = self._encode_whole(parts)
        return self._framed(self._encode_each(parts) if ids is None else ids, add_special_tokens)

    def encode_segments(
        self, parts: Sequence[str | int], cache_salt: str | None, *, add_special_tokens: bool = False
    ) -> list[int]:
        """Encode as `encode` does, and remember what `Tokenizer.encode_segments` remembers.

        Raises InvalidRequest, as `encode` does.
        """
        if self._segments is None or not self._are_separators(parts):
            return self.encode(parts, add_special_tokens=add_special_tokens)
        try:
            ids = self._segments.encode(self._text(parts), cache_salt)
        except TypeError as error:
            raise InvalidRequest(LONE_SURROGATE) from error
        return self._framed(ids, add_special_tokens)

    def _are_separators(self, parts: Sequence[str | int]) -> bool:
        """Return whether all placed tokens are certainly found, which then need not be counted."""
        return self._certain.issuperset(part for part in parts if isinstance(part, int))

    @cached_property
    def _certain(self) -> frozenset[int]:
        return frozenset() if self._segments is None else frozenset(self._segments.separators.values())

    def _framed(self, ids: list[int], add_special_tokens: bool) -> list[int]:
        if not add_special_tokens:
            return ids
        before, after = self._frame
        return [*before, *ids, *after]

    def _encode_whole(self, parts: Sequence[str | int]) -> list[int] | None:
        """Return the ids, or None if the tokenizer does not find all placed tokens, as may happen to a token
        whose name it searches for in normalized text."""
        ids = self._ids(self._text(parts))
        if sum(map(self._placed.__contains__, ids)) != sum(isinstance(part, int) for part in parts):
            return None
        return self._translated(ids)

    def _text(self, parts: Sequence[str | int]) -> str:
        return "".join(part if isinstance(part, str) else self._names[part] for part in parts)

    def _translated(self, ids: list[int]) -> list[int]:
        """Return the tokenizer's own ids for those of the copy, and no placed token for a text's word."""
        if any(map(self._is_word, set(ids))):
            ids = [spelled for token_id in ids for spelled in self._spelled(token_id)]
        return [self._true_ids.get(token_id, token_id) for token_id in ids]

    def _encode_each(self, parts: Sequence[str | int]) -> list[int]:
        ids: list[int] = []
        for part in parts:
            ids.extend([part] if isinstance(part, int) else self._text_ids(part))
        return ids

    def _text_ids(self, text: str) -> list[int]:
        return self._encode_whole([text]) or []

    def _spelled(self, token_id: int) -> list[int]:
        """Return the ids of a token's name cut in two if the vocabulary has the name as a word, or the id."""
        if not self._is_word(token_id):
            return [token_id]
        name = self._tokenizer.token_text(token_id)
        ids = [*self._ids(name[:1]), *self._ids(name[1:])]
        return [spelled for spelled in ids if not self._is_word(spelled)]

    def _is_word(self, token_id: int) -> bool:
        """Return whether the vocabulary itself, by a word that it has, made this token out of a text."""
        is_ours = token_id in self._token_ids and token_id not in self._true_ids
        return is_ours and token_id not in self._unknown_ids

    def _ids(self, text: str) -> list[int]:
        try:
            ids: list[int] = self._backend.encode_batch_fast([text], add_special_tokens=False)[0].ids
        except TypeError as error:
            raise InvalidRequest(LONE_SURROGATE) from error
        return ids

    @cached_property
    def _segments(self) -> SegmentEncoder | None:
        return SegmentEncoder.of(self._backend, self._tokenizer.memory, self._translated)

    def _id_in_copy(self, name: str) -> int:
        token_id: int | None = self._backend.token_to_id(name)
        assert token_id is not None, name
        return token_id

    @cached_property
    def _frame(self) -> tuple[list[int], list[int]]:
        """The ids that the tokenizer adds in front of a prompt and after it."""
        alone = self._tokenizer.encode(_PROBE, add_special_tokens=False)
        framed = self._tokenizer.encode(_PROBE)
        at = next(at for at in range(len(framed)) if framed[at : at + len(alone)] == alone)
        return framed[:at], framed[at + len(alone) :]


def _bare(backend: Any) -> Any:
    """Return a tokenizer that shares the vocabulary, without added tokens."""
    bare: Any = Backend(backend.model)
    if backend.normalizer is not None:
        bare.normalizer = backend.normalizer
    if backend.pre_tokenizer is not None:
        bare.pre_tokenizer = backend.pre_tokenizer
    return bare


def _renamed(token: Any, name: str | None) -> AddedToken:
    return AddedToken(
        token.content if name is None else name,
        single_word=token.single_word,
        lstrip=token.lstrip,
        rstrip=token.rstrip,
        normalized=token.normalized,
        special=token.special,
    )


def _unknown_ids(backend: Any) -> frozenset[int]:
    """Return the ids for a character that the vocabulary does not have, which may be a special token's."""
    try:
        return frozenset(token.id for token in backend.model.tokenize(_NO_CHARACTER))
    except Exception:  # a list of words alone fails on any other
        return frozenset()
