"""From the engine's token events to what a chat answer gains with each; no I/O."""

from collections.abc import Callable

from engine.events import FinishReason, TokenEvent
from handlers.chat.answer_parser import AnswerFormat, AnswerParser, AnswerText
from handlers.chat.delta import ChatDelta, ChatFinish, join_pieces
from handlers.chat.ids import new_tool_call_id
from handlers.chat.usage import ChatUsage


class ChatOutput:
    """One answer while it is written."""

    def __init__(self, index: int, parser: AnswerParser) -> None:
        self._index = index
        self._parser = parser
        self._pending: list[TokenEvent] = []
        self.num_reasoning_tokens = 0

    def feed(self, event: TokenEvent) -> ChatDelta | None:
        """What the answer gains; None while there is nothing to tell yet."""
        self._pending.append(event)
        was_reasoning = self._parser.is_reasoning
        text = self._parser.feed(event.text)
        self.num_reasoning_tokens += was_reasoning or self._parser.is_reasoning
        if event.finish is not None:
            return self._delta(text + self._parser.finish(), self._finish(event.finish))
        return None if text.is_empty else self._delta(text, None)

    def _delta(self, text: AnswerText, finish: ChatFinish | None) -> ChatDelta:
        events, self._pending = tuple(self._pending), []
        return ChatDelta(
            index=self._index,
            content=text.content,
            reasoning=text.reasoning,
            tool_calls=join_pieces(text.calls),
            events=events,
            finish=finish,
        )

    def _finish(self, reason: FinishReason) -> ChatFinish:
        if reason is FinishReason.LENGTH:
            return ChatFinish.LENGTH
        return ChatFinish.TOOL_CALLS if self._parser.num_calls else ChatFinish.STOP


class ChatOutputs:
    """All answers to one request while they are written."""

    def __init__(
        self, answer_format: AnswerFormat, num_sequences: int, new_id: Callable[[], str] = new_tool_call_id
    ) -> None:
        self._outputs = [
            ChatOutput(index, AnswerParser(answer_format, new_id)) for index in range(num_sequences)
        ]
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
