"""The text of one sequence as its tokens arrive, cut at its stop string."""

from collections import deque
from collections.abc import Sequence
from copy import deepcopy

import msgspec

from engine.port.request import StopConditions
from engine.port.text.incremental_decoder import IncrementalDecoder
from engine.port.text.stop import StopMatch, StopMatcher, StopPatterns
from engine.port.text.stop_spans import StopSpans
from engine.port.text.tokenizer import Tokenizer


class TextStep(msgspec.Struct, frozen=True):
    """The text that one token adds.

    token_text: the addition to the decoded text, special tokens kept; "" while a UTF-8 character is
        incomplete. It ends where a stop string ends that is kept.
    text: the addition to the output text, as far as it is certain (`TokenEvent.text`).
    stop_match: the stop string that this token completes. The sequence ends with it.
    """

    token_text: str
    text: str
    stop_match: str | None


class _Piece(msgspec.Struct, frozen=True):
    text: str
    is_visible: bool


class OutputText:
    """The detokenizer of one sequence, which also searches for its stop strings.

    The `text` of all steps, joined, is the text that the tokens add to the decoded prompt, special tokens
    left out if so asked, cut by the stop rule. Stop strings are looked for in the text with special tokens
    kept, so they may name a special token, or lie across one, also where these do not show.

    As a continuation of the prompt, the text of a sentencepiece tokenizer may start with a space that
    `decode` of the output ids alone would drop.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        prompt_token_ids: Sequence[int],
        stopping: StopConditions,
        *,
        skip_special_tokens: bool,
        stop_patterns: StopPatterns | None = None,
    ) -> None:
        """Begin without text. stop_patterns: the automaton of `stopping.stop`, if it exists already.

        Raises InvalidRequest for an empty stop string, or an empty first marker of `stop_free`.
        """
        self._tokenizer = tokenizer
        self._decoder = IncrementalDecoder(tokenizer, prompt_token_ids)
        self._matcher = StopMatcher(stop_patterns or StopPatterns(stopping.stop))
        self._spans = _spans(stopping)
        self._has_stops = len(stopping.stop) > 0
        self._include_stop = stopping.include_stop
        self._min_tokens = stopping.min_tokens
        self._skip_special_tokens = skip_special_tokens
        self._num_tokens = 0
        self._held: deque[_Piece] = deque()
        self._num_held = 0  # characters in _held

    def fork(self) -> "OutputText":
        """Return a copy for a sequence that continues on its own from here."""
        return deepcopy(self, {id(self._tokenizer): self._tokenizer})

    def append(self, token_id: int, *, is_last: bool, is_cut: bool = False) -> TextStep:
        """Add the next token. If it `is_last`, the held text becomes certain.

        is_cut: the token's own text is left out of the output.
        Nothing may be appended after the last token or after a stop string was found.
        """
        self._num_tokens += 1
        is_hidden = is_cut or self._is_hidden(token_id)
        if not self._has_stops and not is_hidden:
            # The common case: nothing is ever held.
            text = self._decoder.append(token_id)
            text = text + self._decoder.flush() if is_last else text
            return TextStep(text, text, None)
        pieces = self._decode(token_id, is_last=is_last, is_hidden=is_hidden)
        token_text = "".join(piece.text for piece in pieces)
        match = self._find_stop(token_text)
        num_before = self._num_held
        self._hold(pieces)
        num_certain = self._num_certain(match, num_before, is_last=is_last)
        if match is not None and self._include_stop:
            token_text = token_text[: match.end]
        return TextStep(token_text, self._release(num_certain), match.stop if match else None)

    def _find_stop(self, text: str) -> StopMatch | None:
        is_armed = self._num_tokens > self._min_tokens
        if self._spans is None:
            return self._matcher.feed(text, is_armed=is_armed)
        num_before = 0
        for part, is_free in self._spans.split(text):
            if is_free:
                self._matcher.forget()
            elif match := self._matcher.feed(part, is_armed=is_armed):
                return StopMatch(match.stop, num_before + match.end)
            num_before += len(part)
        return None

    def _decode(self, token_id: int, *, is_last: bool, is_hidden: bool) -> list[_Piece]:
        if is_hidden:
            # Not fed to the decoder: the characters around it join as if it were not there.
            pieces = [_Piece(self._tokenizer.token_text(token_id), is_visible=False)]
            return [_Piece(self._decoder.flush(), is_visible=True), *pieces] if is_last else pieces
        text = self._decoder.append(token_id)
        return [_Piece(text + self._decoder.flush() if is_last else text, is_visible=True)]

    def _is_hidden(self, token_id: int) -> bool:
        return self._skip_special_tokens and self._tokenizer.is_special(token_id)

    def _is_certain(self, *, is_last: bool) -> bool:
        return is_last or self._include_stop or self._matcher.num_undecided == 0

    def _num_certain(self, match: StopMatch | None, num_before: int, *, is_last: bool) -> int:
        """Return how many of the held characters certainly belong to the output."""
        if match is not None:
            return num_before + match.end - (0 if self._include_stop else len(match.stop))
        if self._is_certain(is_last=is_last):
            return self._num_held
        return self._num_held - self._matcher.num_undecided

    def _hold(self, pieces: Sequence[_Piece]) -> None:
        self._held.extend(pieces)
        self._num_held += sum(len(piece.text) for piece in pieces)

    def _release(self, num_characters: int) -> str:
        """Remove that many characters from the front of the held text, and return the visible ones."""
        released = []
        self._num_held -= num_characters
        while num_characters > 0:
            piece = self._held.popleft()
            head, tail = piece.text[:num_characters], piece.text[num_characters:]
            num_characters -= len(head)
            if piece.is_visible:
                released.append(head)
            if tail:
                self._held.appendleft(_Piece(tail, piece.is_visible))
        return "".join(released)


def _spans(stopping: StopConditions) -> StopSpans | None:
    if not stopping.stop_free and stopping.stop_free_until is None:
        return None
    return StopSpans(stopping.stop_free, begins_until=stopping.stop_free_until)
