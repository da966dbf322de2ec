"""`nice` of a request's query: who lets others go first."""

from typing import Final, Generic, NamedTuple, TypeVar

BodyT = TypeVar("BodyT")

_NORMAL: Final = 0
_NICE: Final = 1  # the engine runs lower ones first, and starves nobody


class NiceRequest(NamedTuple, Generic[BodyT]):
    """A request's body and its query. nice: whether other requests go first."""

    body: BodyT
    nice: bool


def priority(*, nice: bool) -> int:
    """Return `priority` of `engine.port.request.GenerationRequest`."""
    return _NICE if nice else _NORMAL
