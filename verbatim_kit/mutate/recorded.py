"""A recorded answer."""

from typing import NamedTuple

from verbatim_kit.judge.exchange import Exchange


class Recorded(NamedTuple):
    """A recorded exchange of an operation. operation: its operationId."""

    contract: str
    operation: str
    exchange: Exchange
