"""The two ways to read the answers of an API."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from handlers.conform.document import Json
from handlers.conform.profile.events import Event
from handlers.conform.profile.turn import Asked, Breach


class Api(NamedTuple):
    """whole, stream: yield what keeps a program from going on. Both get answers that have their schema."""

    whole: Callable[[Asked, Json], Iterator[Breach]]
    stream: Callable[[Asked, Sequence[Event]], Iterator[Breach]]
