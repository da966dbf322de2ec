"""Response headers of the released servers: what a request ran on and what it cost.

They are typed as Any, because no TypedDict can be unpacked into another that has more optional keys. The
runtime refuses a header that the operation does not declare.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from handlers.service.timing import Timing

Headers: TypeAlias = Any


def compute_headers(compute_type: str, num_characters: int) -> Headers:
    """Of every answer, known before it begins."""
    return {"x-compute-type": compute_type, "x-compute-characters": num_characters}


def whole_milliseconds(seconds: float) -> int:
    return int(seconds * 1000)


def cost_headers(timing: Timing, milliseconds: Callable[[float], float] = whole_milliseconds) -> Headers:
    """Of a whole answer. milliseconds: writes a time, from seconds; the released servers cut it."""
    return {
        "x-total-time": milliseconds(timing.total_s),
        "x-validation-time": milliseconds(timing.validation_s),
        "x-queue-time": milliseconds(timing.queue_s),
        "x-inference-time": milliseconds(timing.inference_s),
        "x-time-per-token": milliseconds(timing.time_per_token_s),
        "x-prompt-tokens": timing.num_prompt_tokens,
        "x-generated-tokens": timing.num_generated_tokens,
    }


def compute_time_header(timing: Timing) -> Headers:
    """Of a whole answer except that of completions; in seconds."""
    return {"x-compute-time": round(timing.total_s, 6)}
