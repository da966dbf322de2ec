"""A request with what stands beside its body."""

from typing import Generic, NamedTuple, TypeVar

BodyT = TypeVar("BodyT")


class NiceRequest(NamedTuple, Generic[BodyT]):
    """A request's body and its query. nice: whether other requests go first."""

    body: BodyT
    nice: bool
