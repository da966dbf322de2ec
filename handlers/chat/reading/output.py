"""The reader of the engine's token events, which gives the additions to each chat answer; no I/O."""

from collections.abc import Callable, Iterator
from time import perf_counter

from engine.port.events import FinishReason, TokenEvent
from handlers.chat.delta import ChatDelta, ChatFinish, join_pieces
from handlers.chat.reading.answer_parser import AnswerFormat, AnswerParser, AnswerText
from handlers.chat.reading.answer_part import PartReader
from handlers.chat.reading.call_times import current_call_times
from handlers.chat.reading.reasoning import AnswerPart
from handlers.chat.usage import ChatUsage


class ChatOutput:
    """The reader of one answer's events."""

    def __init__(self, index: int, answer_format: AnswerFormat, new_id: Callable[[str], str] | None) -> None:
        self._index = index
        self._parser = AnswerParser(answer_format, new_id)
        self._parts = PartReader(answer_format)
        reasoning = answer_format.reasoning
        self._reasoning_is_content = reasoning is not None and reasoning.is_content
        self._pending: list[tuple[TokenEvent, AnswerPart | None]] = []
        self._reads_content_alone = False
        self._times = current_call_times.get()
        self._held_since_s = 0.0  # when the first of the pending events came, if the request is traced
        self.num_reasoning_tokens = 0

    def feed(self, event: TokenEvent) -> ChatDelta | None:
        """Return the event's addition to the answer, or None while all of it is held back."""
        if event.finish is None and event.text and not event.is_special and self._is_plain():
            events = (event,)
            return ChatDelta(index=self._index, content=event.text, events=events, answer_events=events)
        if self._times is not None and not self._pending:
            self._held_since_s = perf_counter()
        self._pending.append((event, self._parts.feed(event)))
        text = self._parser.feed(event.text)
        if event.finish is not None:
            is_cut = event.finish is not FinishReason.END_TOKEN
            return self._delta(text + self._parser.finish(is_cut=is_cut), event)
        return None if text.is_empty else self._delta(text, event)

    def _is_plain(self) -> bool:
        """Return whether the text of an event is certainly all content, as most are, so that no parser need
        see it. The event has text, is no special token, and does not end the answer.
        """
        if not self._reads_content_alone:  # once it does, it does to the end
            self._reads_content_alone = self._parser.reads_content_alone and self._parts.reads_answer_alone
        return self._reads_content_alone and not self._pending

    def _delta(self, text: AnswerText, last: TokenEvent) -> ChatDelta:
        taken = self._take_pending()
        if self._times is not None and text.calls:
            self._times.add(self._held_since_s)
        self.num_reasoning_tokens += sum(part is AnswerPart.REASONING for _, part in taken)
        return ChatDelta(
            index=self._index,
            content=text.content,
            reasoning=text.reasoning,
            tool_calls=join_pieces(text.calls),
            events=tuple([event for event, _ in taken]),
            answer_events=tuple([event for event, part in _uncut(taken) if self._is_answer(part)]),
            stop_match=last.stop_match,
            finish=None if last.finish is None else self._finish(last.finish),
        )

    def _take_pending(self) -> list[tuple[TokenEvent, AnswerPart]]:
        """Return the events that are in no delta yet; an event of unknown part has that of the next one."""
        taken: list[tuple[TokenEvent, AnswerPart]] = []
        following = AnswerPart.ANSWER
        for event, part in reversed(self._pending):
            following = part or following
            taken.append((event, following))
        self._pending = []
        return taken[::-1]

    def _is_answer(self, part: AnswerPart) -> bool:
        return part is AnswerPart.ANSWER or (self._reasoning_is_content and part is AnswerPart.REASONING)

    def _finish(self, reason: FinishReason) -> ChatFinish:
        if reason is FinishReason.LENGTH:
            return ChatFinish.LENGTH
        num_calls = self._parser.num_calls
        if self._times is not None and num_calls:
            self._times.num_calls[self._index] = num_calls
        return ChatFinish.TOOL_CALLS if num_calls else ChatFinish.STOP


def _uncut(taken: list[tuple[TokenEvent, AnswerPart]]) -> Iterator[tuple[TokenEvent, AnswerPart]]:
    """Yield the events up to those whose text is cut at the end, by a stop string or as a stop token."""
    if not taken or taken[-1][0].stop_match is None:
        yield from taken[:-1] if taken and _is_stop_token(taken[-1][0]) else taken
        return
    num_left = sum(len(event.text) for event, _ in taken)
    for event, part in taken:
        if num_left > 0:
            yield event, part
        num_left -= len(event.token_text)


def _is_stop_token(last: TokenEvent) -> bool:
    """Return whether the token ended the answer and its text is left out."""
    return last.finish is FinishReason.STOP and not last.text.endswith(last.token_text)


class ChatOutputs:
    """The readers of all answers to one request."""

    def __init__(
        self,
        answer_format: AnswerFormat,
        num_sequences: int,
        new_id: Callable[[str], str] | None = None,
        num_audio_tokens: int = 0,
    ) -> None:
        """Begin all answers.

        new_id: makes the id of a call from its name; None takes the format's own.
        num_audio_tokens: the number of the prompt's tokens that stand for sound.
        """
        self._outputs = [ChatOutput(index, answer_format, new_id) for index in range(num_sequences)]
        self._num_audio_tokens = num_audio_tokens
        self._num_prompt_tokens = 0
        self._num_cached_tokens = 0
        self._num_completion_tokens = 0

    def feed(self, event: TokenEvent) -> ChatDelta | None:
        """Return the event's addition to its answer, or None while all of it is held back."""
        self._num_prompt_tokens = event.num_prompt_tokens
        self._num_cached_tokens = event.num_cached_tokens
        self._num_completion_tokens += 1
        return self._outputs[event.index].feed(event)

    @property
    def usage(self) -> ChatUsage:
        """The token counts of the events so far."""
        return ChatUsage(
            num_prompt_tokens=self._num_prompt_tokens,
            num_cached_tokens=self._num_cached_tokens,
            num_audio_tokens=self._num_audio_tokens,
            num_completion_tokens=self._num_completion_tokens,
            num_reasoning_tokens=sum(output.num_reasoning_tokens for output in self._outputs),
        )
