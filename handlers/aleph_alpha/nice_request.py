"""A request with what stands beside its body."""

from typing import Generic, NamedTuple, TypeVar

BodyT = TypeVar("BodyT")


class NiceRequest(NamedTuple, Generic[BodyT]):
    """nice: whether other requests go first."""

    body: BodyT
    nice: bool
