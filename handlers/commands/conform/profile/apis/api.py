"""The interface of the checks of an API."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from handlers.commands.conform.profile.events import Event
from handlers.commands.conform.profile.turn import Breach, SentBody
from verbatim_kit.conform.document import Json


class Api(NamedTuple):
    """The checks of an API; both get answers that match their schema, and yield breaches.

    whole: checks a non-streamed answer. stream: checks the events of a stream.
    """

    whole: Callable[[SentBody, Json], Iterator[Breach]]
    stream: Callable[[SentBody, Sequence[Event]], Iterator[Breach]]
