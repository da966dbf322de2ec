"""What chat and completions answers share."""

from importlib.metadata import version
from typing import Final, Literal

from engine.events import FinishReason
from generated.tgi import models as m

SYSTEM_FINGERPRINT: Final = f"{version('verbatim')}-native"

FINISH_REASONS: Final[dict[FinishReason, Literal["stop", "length"]]] = {
    FinishReason.END_TOKEN: "stop",
    FinishReason.STOP: "stop",
    FinishReason.LENGTH: "length",
}


def usage(num_prompt_tokens: int, num_completion_tokens: int) -> m.Usage:
    return m.Usage(
        prompt_tokens=num_prompt_tokens,
        completion_tokens=num_completion_tokens,
        total_tokens=num_prompt_tokens + num_completion_tokens,
    )
