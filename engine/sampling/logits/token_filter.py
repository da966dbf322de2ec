"""Which tokens a request rules out by name: ids banned, all but the allowed ones, and those that would
complete a bad word."""

from collections import deque
from collections.abc import Iterable, Sequence
from copy import copy

import torch
from torch import Tensor

from engine.errors import InvalidRequest
from engine.request import SamplingParams
from engine.text.tokenizer import Tokenizer
from engine.transfers import upload


class ExcludedTokens:
    """The tokens that a request excludes, made ready once; its sequences share them.

    allowed_ids: [m] int64, the only ones that may come; None allows all. banned_ids: [m] int64, those that
    never come, be they words of a single token. bad_words: the longer ones.
    """

    def __init__(self, params: SamplingParams, tokenizer: Tokenizer, device: torch.device) -> None:
        """The ids of `params` are in the vocabulary.

        Raises InvalidRequest where no token is allowed, or a bad word has no tokens.
        """
        if params.allowed_token_ids is not None and not params.allowed_token_ids:
            raise InvalidRequest("allowed_token_ids excludes every token")
        allowed = params.allowed_token_ids
        self.allowed_ids = None if allowed is None else upload(sorted(set(allowed)), device)
        self.bad_words = BadWords(params.bad_words, tokenizer)
        banned = sorted({*params.banned_token_ids, *self.bad_words.single_ids})
        self.banned_ids = upload(banned, device, torch.int64)

    @staticmethod
    def is_asked(params: SamplingParams) -> bool:
        """Whether the request excludes tokens by name at all."""
        return params.allowed_token_ids is not None or bool(params.banned_token_ids) or bool(params.bad_words)


class TokenFilter:
    """One sequence's excluded tokens. What none of its fields excludes, it leaves as it is."""

    def __init__(self, excluded: ExcludedTokens, prompt_token_ids: Sequence[int]) -> None:
        self._excluded = excluded
        self._history = deque(prompt_token_ids, maxlen=excluded.bad_words.num_tokens_seen)

    def accept(self, token_id: int) -> None:
        self._history.append(token_id)

    def apply(self, logits: Tensor) -> None:
        """logits: [v] float32, changed in place."""
        excluded = self._excluded
        if excluded.allowed_ids is not None:
            kept = logits[excluded.allowed_ids]
            logits.fill_(-torch.inf)
            logits[excluded.allowed_ids] = kept
        if len(excluded.banned_ids):
            logits[excluded.banned_ids] = -torch.inf
        if completing := excluded.bad_words.completions(self._history):
            logits[upload(completing, logits.device)] = -torch.inf

    def fork(self) -> "TokenFilter":
        """The same filter of a sequence that goes its own way from here."""
        child = copy(self)
        child._history = self._history.copy()
        return child


class BadWords:
    """The token sequences of some strings, by what stands before their last token."""

    def __init__(self, words: Iterable[str], tokenizer: Tokenizer) -> None:
        """A word has two sequences, of its start of a text and of its place after a space, as in vLLM's
        `bad_words`. Raises InvalidRequest for a word without tokens."""
        self.single_ids: list[int] = []  # the words of a single token
        self._after: dict[int, list[tuple[tuple[int, ...], int]]] = {}  # last token before -> (prefix, token)
        self.num_tokens_seen = 0  # of the end of a text, to tell what may not follow
        for word in words:
            for ids in {_encode(word.lstrip(), tokenizer), _encode(" " + word.lstrip(), tokenizer)}:
                self._add(ids)

    def _add(self, ids: tuple[int, ...]) -> None:
        *prefix, last = ids
        self.num_tokens_seen = max(self.num_tokens_seen, len(prefix))
        if prefix:
            self._after.setdefault(prefix[-1], []).append((tuple(prefix), last))
        else:
            self.single_ids.append(last)

    def completions(self, history: Iterable[int]) -> list[int]:
        """The ids that would complete a word of several tokens after these."""
        seen = tuple(history)
        candidates = self._after.get(seen[-1], ()) if seen else ()
        return [last for prefix, last in candidates if seen[-len(prefix) :] == prefix]


def _encode(text: str, tokenizer: Tokenizer) -> tuple[int, ...]:
    ids = tuple(tokenizer.encode(text, add_special_tokens=False)) if text.strip() else ()
    if not ids:
        raise InvalidRequest("a bad word must not be empty")
    return ids
