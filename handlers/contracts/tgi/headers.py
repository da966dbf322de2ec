"""Response headers of the released servers: what a request ran on and what it cost.

They are typed as Any, because no TypedDict can be unpacked into another that has more optional keys. The
runtime refuses a header that the operation does not declare.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from handlers.access.visits.timing import Timing

Headers: TypeAlias = Any


def whole_milliseconds(seconds: float) -> int:
    return int(seconds * 1000)


@dataclass(frozen=True)
class AnswerHeaders:
    """The headers of an operation's answers.

    compute_type: the kind of machine. milliseconds: writes a time, from seconds; the released servers cut it.
    has_compute_time: whether a whole answer has `x-compute-time` too.
    """

    compute_type: str
    milliseconds: Callable[[float], float] = whole_milliseconds
    has_compute_time: bool = False

    def of_every_answer(self, *prompts: str) -> Headers:
        """Return the headers that are known before an answer begins.

        prompts: as the model gets them, templates rendered.
        """
        return {"x-compute-type": self.compute_type, "x-compute-characters": sum(map(len, prompts))}

    def costs(self, timing: Timing) -> Headers:
        """Return the headers of a whole answer that report its cost."""
        headers = {
            "x-total-time": self.milliseconds(timing.total_s),
            "x-validation-time": self.milliseconds(timing.validation_s),
            "x-queue-time": self.milliseconds(timing.queue_s),
            "x-inference-time": self.milliseconds(timing.inference_s),
            "x-time-per-token": self.milliseconds(timing.time_per_token_s),
            "x-prompt-tokens": timing.num_prompt_tokens,
            "x-generated-tokens": timing.num_generated_tokens,
        }
        if self.has_compute_time:
            headers["x-compute-time"] = round(timing.total_s, 6)  # in seconds
        return headers
