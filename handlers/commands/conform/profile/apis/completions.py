"""The checks of OpenAI's completions."""

from collections.abc import Iterator, Sequence

from handlers.commands.conform.profile.apis.usage import usage_breaches
from handlers.commands.conform.profile.events import Event
from handlers.commands.conform.profile.turn import Breach, SentBody
from verbatim_kit.conform.document import Json


def whole_breaches(sent: SentBody, answer: Json) -> Iterator[Breach]:
    """Yield nothing, since the schema covers everything that clients read."""
    yield from ()


def stream_breaches(sent: SentBody, events: Sequence[Event]) -> Iterator[Breach]:
    chunks = [event.data for event in events]
    yield from usage_breaches(sent, chunks)
    if not any(choice.get("finish_reason") for chunk in chunks for choice in chunk["choices"]):
        yield Breach(
            "No chunk has a finish_reason", f"There are {len(chunks)} chunks", "It marks the end of the text"
        )
