"""The place of one text in a grammar that llguidance reads."""

import re
from collections.abc import Callable
from typing import Final

from llguidance import LLMatcher, LLParserLimits, LLTokenizer

from engine.grammar.bitmask import Words, set_bits
from engine.port.errors import InvalidGrammar

# The figures are of one core of a server. A grammar beyond them is refused, or fails the requests under it.
LIMITS: Final = LLParserLimits(
    initial_lexer_fuel=1_000_000,  # 20 ms of a compilation
    max_grammar_size=500_000,  # symbols; FHIR's schema has 200,000
    step_lexer_fuel=200_000,  # 14 ms of a mask
    step_max_items=50_000,  # 3 ms of a mask
    max_items_in_row=2_000,  # the ways in which one place of a text is read
    max_lexer_states=50_000,  # up to 100 MB, for all texts of a grammar together
    verbose_errors=False,
)
_NO_TOKEN: Final = "NoExtensionBias"  # where the vocabulary lacks what the grammar needs
_PLACE: Final = re.compile(r"^at \d+\(\d+\): ")  # in the translation, which nobody sees


def compile_lark(source: str, trie: LLTokenizer) -> LLMatcher:
    """Return the matcher of a text before its first token. Takes milliseconds, in which other threads run.

    Raises InvalidGrammar."""
    matcher = LLMatcher(trie, source, log_level=0, limits=LIMITS)
    if matcher.is_error():
        reason = _PLACE.sub("", matcher.get_error().splitlines()[0])
        raise InvalidGrammar(f"the grammar is more than can be enforced: {reason}")
    return matcher


class LarkMatcher:
    """A matcher of llguidance's; those of one grammar share what they learn of it, safely between threads."""

    is_quick = True  # within LIMITS

    def __init__(self, matcher: LLMatcher, end: int, on_failure: Callable[[], object]) -> None:
        """Begin where the matcher is, which stays there.

        end: the token that stands for the end of a text, which no model draws. on_failure: called when the
        grammar has exceeded LIMITS, after which it serves no text any longer.
        """
        self._matcher = matcher.deep_copy()
        self._end = end
        self._on_failure = on_failure
        self.is_too_slow = False

    @property
    def is_accepting(self) -> bool:
        return self._matcher.is_accepting()

    def accept(self, token_id: int) -> bool:
        if self.accept_ahead(token_id):
            return True
        # Where another text has used up what the grammar's texts share, only a mask says so.
        self._matcher.compute_bitmask()
        self._notice_failure()
        return False

    def accept_ahead(self, token_id: int) -> bool:
        is_allowed = self._matcher.try_consume_tokens([token_id]) == 1
        self._notice_failure()
        return is_allowed

    def fill(self, words: Words) -> None:
        self._matcher.unsafe_compute_mask_ptr(words.ctypes.data, words.nbytes)
        set_bits(words, [self._end], is_allowed=False)
        self._notice_failure()

    def rollback(self, num_tokens: int) -> None:
        self._matcher.rollback(num_tokens)

    def _notice_failure(self) -> None:
        if self._matcher.is_error() and _NO_TOKEN not in self._matcher.get_error():
            self.is_too_slow = True
            self._on_failure()
