"""The engine's events, as if a model had written a text."""

from collections.abc import AsyncGenerator, Iterable, Sequence

from engine.port.events import FinishReason, TokenEvent


def events_of(
    pieces: Sequence[str], *, index: int = 0, finish: FinishReason = FinishReason.END_TOKEN
) -> list[TokenEvent]:
    """One event a piece, and one for the end token unless the length ended the text."""
    texts = [*pieces, ""] if finish is FinishReason.END_TOKEN or not pieces else pieces
    return [
        TokenEvent(
            request_id="r",
            index=index,
            position=position,
            token_id=position,
            token_text=text,
            is_special=False,
            text=text,
            logprob=-0.5 * position,
            finish=finish if position == len(texts) - 1 else None,
            num_prompt_tokens=7,
            num_cached_tokens=3,
        )
        for position, text in enumerate(texts)
    ]


async def stream(events: Iterable[TokenEvent]) -> AsyncGenerator[TokenEvent, None]:
    for event in events:
        yield event
