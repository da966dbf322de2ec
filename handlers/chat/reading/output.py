"""From the engine's token events to what a chat answer gains with each; no I/O."""

from collections.abc import Callable, Iterator

from engine.events import FinishReason, TokenEvent
from handlers.chat.reading.answer_parser import AnswerFormat, AnswerParser, AnswerText
from handlers.chat.reading.answer_part import AnswerPart, PartReader
from handlers.chat.reading.delta import ChatDelta, ChatFinish, join_pieces
from handlers.chat.usage import ChatUsage


class ChatOutput:
    """One answer while it is written."""

    def __init__(self, index: int, answer_format: AnswerFormat, new_id: Callable[[str], str] | None) -> None:
        self._index = index
        self._parser = AnswerParser(answer_format, new_id)
        self._parts = PartReader(answer_format)
        reasoning = answer_format.reasoning
        self._thoughts_are_content = reasoning is not None and reasoning.is_content
        self._pending: list[tuple[TokenEvent, AnswerPart | None]] = []
        self._reads_content_alone = False
        self.num_reasoning_tokens = 0

    def feed(self, event: TokenEvent) -> ChatDelta | None:
        """What the answer gains; None while there is nothing to tell yet."""
        if self._is_plain(event):
            return ChatDelta(index=self._index, content=event.text, events=(event,), answer_events=(event,))
        self._pending.append((event, self._parts.feed(event)))
        text = self._parser.feed(event.text)
        if event.finish is not None:
            is_cut = event.finish is not FinishReason.END_TOKEN
            return self._delta(text + self._parser.finish(is_cut=is_cut), event)
        return None if text.is_empty else self._delta(text, event)

    def _is_plain(self, event: TokenEvent) -> bool:
        """Whether the event's text is content for certain, as most are: what reads it finds nothing else."""
        if not self._reads_content_alone:  # once it does, it does to the end
            self._reads_content_alone = self._parser.reads_content_alone and self._parts.reads_answer_alone
        return (
            self._reads_content_alone
            and event.finish is None
            and bool(event.text)
            and not event.is_special
            and not self._pending
        )

    def _delta(self, text: AnswerText, last: TokenEvent) -> ChatDelta:
        told = self._take_pending()
        self.num_reasoning_tokens += sum(part is AnswerPart.THOUGHT for _, part in told)
        return ChatDelta(
            index=self._index,
            content=text.content,
            reasoning=text.reasoning,
            tool_calls=join_pieces(text.calls),
            events=tuple(event for event, _ in told),
            answer_events=tuple(event for event, part in _uncut(told) if self._is_answer(part)),
            stop_match=last.stop_match,
            finish=None if last.finish is None else self._finish(last.finish),
        )

    def _take_pending(self) -> list[tuple[TokenEvent, AnswerPart]]:
        """All events that no delta has told yet; who is in doubt is what follows it."""
        told: list[tuple[TokenEvent, AnswerPart]] = []
        following = AnswerPart.ANSWER
        for event, part in reversed(self._pending):
            following = part or following
            told.append((event, following))
        self._pending = []
        return told[::-1]

    def _is_answer(self, part: AnswerPart) -> bool:
        return part is AnswerPart.ANSWER or (self._thoughts_are_content and part is AnswerPart.THOUGHT)

    def _finish(self, reason: FinishReason) -> ChatFinish:
        if reason is FinishReason.LENGTH:
            return ChatFinish.LENGTH
        return ChatFinish.TOOL_CALLS if self._parser.num_calls else ChatFinish.STOP


def _uncut(told: list[tuple[TokenEvent, AnswerPart]]) -> Iterator[tuple[TokenEvent, AnswerPart]]:
    """Without the tokens at the end whose text is cut: by a stop string, or for being a stop token."""
    if not told or told[-1][0].stop_match is None:
        yield from told[:-1] if told and _is_stop_token(told[-1][0]) else told
        return
    num_left = sum(len(event.text) for event, _ in told)
    for event, part in told:
        if num_left > 0:
            yield event, part
        num_left -= len(event.token_text)


def _is_stop_token(last: TokenEvent) -> bool:
    """Whether the token ended the answer, and its text is left out."""
    return last.finish is FinishReason.STOP and not last.text.endswith(last.token_text)


class ChatOutputs:
    """All answers to one request while they are written."""

    def __init__(
        self, answer_format: AnswerFormat, num_sequences: int, new_id: Callable[[str], str] | None = None
    ) -> None:
        self._outputs = [ChatOutput(index, answer_format, new_id) for index in range(num_sequences)]
        self._num_prompt_tokens = 0
        self._num_cached_tokens = 0
        self._num_completion_tokens = 0

    def feed(self, event: TokenEvent) -> ChatDelta | None:
        """What the event's answer gains; None while there is nothing to tell yet."""
        self._num_prompt_tokens = event.num_prompt_tokens
        self._num_cached_tokens = event.num_cached_tokens
        self._num_completion_tokens += 1
        return self._outputs[event.index].feed(event)

    @property
    def usage(self) -> ChatUsage:
        """Counts of the events so far."""
        return ChatUsage(
            num_prompt_tokens=self._num_prompt_tokens,
            num_cached_tokens=self._num_cached_tokens,
            num_completion_tokens=self._num_completion_tokens,
            num_reasoning_tokens=sum(output.num_reasoning_tokens for output in self._outputs),
        )
