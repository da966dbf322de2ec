"""The logits processor that keeps the rules of a transcript's timestamps."""

from collections import deque
from copy import copy
from typing import Final

import torch
from torch import Tensor

from engine.port.request import TimestampRules

_NUM_SEEN: Final = 2


class TimestampFilter:
    """The rules of one sequence, which depend on its last two tokens and its last timestamp.

    They are those of transformers' `WhisperTimeStampLogitsProcessor`, to which a test compares them.
    """

    def __init__(self, rules: TimestampRules) -> None:
        self._rules = rules
        self._last = deque[bool](maxlen=_NUM_SEEN)  # whether they are timestamps
        self._last_timestamp_id: int | None = None

    def accept(self, token_id: int) -> None:
        """Take the next token of the output."""
        is_timestamp = token_id >= self._rules.first_timestamp_id
        self._last.append(is_timestamp)
        if is_timestamp:
            self._last_timestamp_id = token_id

    def apply(self, logits: Tensor) -> None:
        """Set the logits of tokens that may not come to -inf. logits: [v] float32, changed in place."""
        rules, first = self._rules, self._rules.first_timestamp_id
        if not self._last:
            logits[:first] = -torch.inf
            if rules.max_initial_timestamp_id is not None:
                logits[rules.max_initial_timestamp_id + 1 :] = -torch.inf
        elif self._is_pair_open:
            logits[: rules.text_end_id] = -torch.inf
        elif self._last[-1]:
            logits[first:] = -torch.inf
        if self._last_timestamp_id is not None:
            # The start of a part may be the end of the one before it; no part is empty.
            logits[first : self._last_timestamp_id + (not self._is_pair_open)] = -torch.inf
        if self._last:
            text = logits[:first]
            text.masked_fill_(logits[first:].logsumexp(dim=0) > text.max(), -torch.inf)

    def fork(self) -> "TimestampFilter":
        """Return a copy for a sequence that continues on its own from here."""
        child = copy(self)
        child._last = self._last.copy()
        return child

    @property
    def _is_pair_open(self) -> bool:
        """True if the last token is the end of a part, and not the start of one."""
        return len(self._last) == _NUM_SEEN and self._last[-1] and not self._last[0]
