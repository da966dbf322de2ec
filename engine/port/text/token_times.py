"""The times of a sequence's tokens; no torch, no clock."""

import msgspec


class TokenTimes(msgspec.Struct):
    """The time of a sequence's last token, and the times of the next one, which a sequence reuses for each.

    last_time: of the previous token, or of the sequence's start, in seconds of one monotonic clock. queue_s,
    wait_s, step_s: those of the next event (`TokenEvent`), of which `wait_s` counts from the second token on.
    """

    last_time: float = 0.0
    queue_s: float = 0.0
    wait_s: float = 0.0
    step_s: float = 0.0
