"""The two ways to read the answers of an API."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from handlers.conform.document import Json
from handlers.conform.profile.events import Event
from handlers.conform.profile.turn import Breach, SentBody


class Api(NamedTuple):
    """whole, stream: yield what keeps a program from going on. Both get answers that have their schema."""

    whole: Callable[[SentBody, Json], Iterator[Breach]]
    stream: Callable[[SentBody, Sequence[Event]], Iterator[Breach]]
