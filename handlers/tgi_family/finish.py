"""Finish reasons and log-probabilities as TGI's kin send them."""

import math
from typing import Final, Literal

from engine.port.events import FinishReason

GENERATE_REASONS: Final[dict[FinishReason, Literal["length", "eos_token", "stop_sequence"]]] = {
    FinishReason.LENGTH: "length",
    FinishReason.END_TOKEN: "eos_token",
    FinishReason.STOP: "stop_sequence",
}

COMPLETION_REASONS: Final[dict[FinishReason, Literal["stop", "length"]]] = {
    FinishReason.END_TOKEN: "stop",
    FinishReason.STOP: "stop",
    FinishReason.LENGTH: "length",
}


def finite(logprob: float | None) -> float | None:
    """JSON has no infinities; null stands for them."""
    return logprob if logprob is not None and math.isfinite(logprob) else None
