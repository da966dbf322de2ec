"""`nice`: who lets others go first."""

from typing import Final

_NORMAL: Final = 0
_NICE: Final = 1  # the engine runs lower ones first, and starves nobody


def priority(*, nice: bool) -> int:
    """Return `priority` of `engine.port.request.GenerationRequest`."""
    return _NICE if nice else _NORMAL
