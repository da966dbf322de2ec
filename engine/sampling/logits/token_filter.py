"""The logits processor that excludes tokens: banned ones, all but allowed ones, ends of bad words."""

from collections import deque
from collections.abc import Iterable, Sequence
from copy import copy

import torch
from torch import Tensor

from engine.host.transfers import upload
from engine.port.errors import InvalidRequest
from engine.port.request import SamplingParams
from engine.port.text.tokenizer import Tokenizer


class ExcludedTokens:
    """The tokens that a request excludes, prepared once and shared by its sequences.

    allowed_ids: [m] int64, the only tokens allowed; None allows all. banned_ids: [m] int64, those never
    allowed, bad words of a single token among them; first_banned_ids: likewise, those not allowed first.
    bad_words: the longer ones.
    """

    def __init__(self, params: SamplingParams, tokenizer: Tokenizer, device: torch.device) -> None:
        """Prepare the tokens. The ids of `params` must be in the vocabulary.

        Raises InvalidRequest if no token is allowed, or a bad word has no tokens.
        """
        if params.allowed_token_ids is not None and not params.allowed_token_ids:
            raise InvalidRequest("allowed_token_ids excludes every token")
        allowed = params.allowed_token_ids
        self.allowed_ids = None if allowed is None else upload(sorted(set(allowed)), device)
        self.bad_words = BadWords(params.bad_words, tokenizer)
        banned = sorted({*params.banned_token_ids, *self.bad_words.single_ids})
        self.banned_ids = upload(banned, device, torch.int64)
        self.first_banned_ids = upload(sorted({*params.first_banned_token_ids}), device, torch.int64)

    @staticmethod
    def is_asked(params: SamplingParams) -> bool:
        """Return whether the parameters exclude any tokens by id or word."""
        return params.allowed_token_ids is not None or any(
            (params.banned_token_ids, params.first_banned_token_ids, params.bad_words)
        )


class TokenFilter:
    """The excluded tokens of one sequence, whose bad words depend on its last tokens."""

    def __init__(self, excluded: ExcludedTokens, prompt_token_ids: Sequence[int]) -> None:
        self._excluded = excluded
        self._history = deque(prompt_token_ids, maxlen=excluded.bad_words.num_tokens_seen)
        self._is_first = True

    def accept(self, token_id: int) -> None:
        self._is_first = False
        self._history.append(token_id)

    def apply(self, logits: Tensor) -> None:
        """Set the logits of excluded tokens to -inf. logits: [v] float32, changed in place."""
        excluded = self._excluded
        if excluded.allowed_ids is not None:
            kept = logits[excluded.allowed_ids]
            logits.fill_(-torch.inf)
            logits[excluded.allowed_ids] = kept
        if len(excluded.banned_ids):
            logits[excluded.banned_ids] = -torch.inf
        if self._is_first and len(excluded.first_banned_ids):
            logits[excluded.first_banned_ids] = -torch.inf
        if completing := excluded.bad_words.completions(self._history):
            logits[upload(completing, logits.device)] = -torch.inf

    def fork(self) -> "TokenFilter":
        """Return a copy for a sequence that continues on its own from here."""
        child = copy(self)
        child._history = self._history.copy()
        return child


class BadWords:
    """The token sequences of some words, indexed by the tokens before the last one."""

    def __init__(self, words: Iterable[str], tokenizer: Tokenizer) -> None:
        """Encode the words. Raises InvalidRequest for a word without tokens.

        A word has two sequences, for the start of a text and after a space, as in vLLM's `bad_words`.
        """
        self.single_ids: list[int] = []  # the words of a single token
        # The last tokens of words, by the last token before them, the number of tokens before, and these. All
        # words may have the same token before their last, and each step looks for them.
        self._after: dict[int, dict[int, dict[tuple[int, ...], list[int]]]] = {}
        self.num_tokens_seen = 0  # the number of last tokens that bad words depend on
        for word in words:
            for ids in {_encode(word.lstrip(), tokenizer), _encode(" " + word.lstrip(), tokenizer)}:
                self._add(ids)

    def _add(self, ids: tuple[int, ...]) -> None:
        *prefix, last = ids
        self.num_tokens_seen = max(self.num_tokens_seen, len(prefix))
        if prefix:
            alike = self._after.setdefault(prefix[-1], {}).setdefault(len(prefix), {})
            alike.setdefault(tuple(prefix), []).append(last)
        else:
            self.single_ids.append(last)

    def completions(self, history: Iterable[int]) -> list[int]:
        """Return the ids that would complete a word of several tokens after these."""
        seen = tuple(history)
        by_length = self._after.get(seen[-1], {}) if seen else {}
        found = (alike.get(seen[-length:], ()) for length, alike in by_length.items())
        return [last for lasts in found for last in lasts]


def _encode(text: str, tokenizer: Tokenizer) -> tuple[int, ...]:
    ids = tuple(tokenizer.encode(text, add_special_tokens=False)) if text.strip() else ()
    if not ids:
        raise InvalidRequest("a bad word must not be empty")
    return ids
