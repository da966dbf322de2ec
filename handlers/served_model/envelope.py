"""The members that every piece of one OpenAI-shaped answer repeats."""

import time
from dataclasses import dataclass, field
from secrets import token_hex


@dataclass(frozen=True)
class Envelope:
    """The fields that all parts of one answer share. created: the Unix time of its start, in seconds."""

    model: str
    id: str
    created: int = field(default_factory=lambda: int(time.time()))

    @classmethod
    def new(cls, model: str, prefix: str) -> "Envelope":
        """An id of its own, `<prefix>-<32 hexadecimal digits>`."""
        return cls(model=model, id=f"{prefix}-{token_hex(16)}")
