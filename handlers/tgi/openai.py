"""What chat and completions answers share."""

import time
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Final, Literal
from uuid import uuid4

from engine.events import FinishReason
from generated.tgi import models as m

SYSTEM_FINGERPRINT: Final = f"{version('verbatim')}-native"

FINISH_REASONS: Final[dict[FinishReason, Literal["stop", "length"]]] = {
    FinishReason.END_TOKEN: "stop",
    FinishReason.STOP: "stop",
    FinishReason.LENGTH: "length",
}


@dataclass(frozen=True)
class Envelope:
    """What every chunk of one answer repeats. created: Unix time in seconds."""

    model: str
    id: str
    created: int = field(default_factory=lambda: int(time.time()))

    @classmethod
    def new(cls, model: str, prefix: str) -> "Envelope":
        return cls(model=model, id=f"{prefix}-{uuid4().hex}")


def usage(num_prompt_tokens: int, num_completion_tokens: int) -> m.Usage:
    return m.Usage(
        prompt_tokens=num_prompt_tokens,
        completion_tokens=num_completion_tokens,
        total_tokens=num_prompt_tokens + num_completion_tokens,
    )
