"""Response headers of the released servers: what a request ran on and what it cost.

They are typed as Any, because no TypedDict can be unpacked into another that has more optional keys. The
runtime refuses a header that the operation does not declare.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from handlers.active_requests.timing import Timing

Headers: TypeAlias = Any


def compute_headers(compute_type: str, *prompts: str) -> Headers:
    """Return the headers of every answer, known before it begins.

    compute_type: the kind of machine. prompts: as the model gets them, templates rendered.
    """
    return {"x-compute-type": compute_type, "x-compute-characters": sum(map(len, prompts))}


def whole_milliseconds(seconds: float) -> int:
    return int(seconds * 1000)


def cost_headers(timing: Timing, milliseconds: Callable[[float], float] = whole_milliseconds) -> Headers:
    """Return the headers of a whole answer that report its cost.

    milliseconds: writes a time, from seconds; the released servers cut it.
    """
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
    """Return the header of a whole answer other than a completion's; in seconds."""
    return {"x-compute-time": round(timing.total_s, 6)}
