"""From the engine's token events to what a chat answer gains with each."""

from engine.events import TokenEvent
from handlers.chat.delta import ChatDelta
from handlers.chat.usage import ChatUsage


class ChatOutputs:
    """All answers to one request while they are written; no I/O."""

    def feed(self, event: TokenEvent) -> ChatDelta | None:
        """What the event's answer gains; None while there is nothing to tell yet."""
        raise NotImplementedError

    @property
    def usage(self) -> ChatUsage:
        """Counts of the events so far."""
        raise NotImplementedError
