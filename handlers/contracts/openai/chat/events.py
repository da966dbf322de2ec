"""Chunks of a streamed chat answer.

A chunk of nothing but text goes into a prebuilt envelope; a test holds it to the model's own serialisation.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

import orjson

from generated.openai import models as m
from handlers.chat.delta import ChatDelta, ChatFinish, ToolCallDelta
from handlers.chat.usage import ChatUsage
from handlers.contracts.openai.answers.timings import RequestTimings
from handlers.contracts.openai.answers.usage import usage
from handlers.contracts.openai.chat.response import ChatAnswer
from handlers.contracts.openai.custom_tool import CustomInput
from handlers.operations.chunk_template import ChunkTemplate
from handlers.served_model.envelope import Envelope
from verbatim_kit.runtime.operation import EncodedEvent

_TEXT_CHOICE: Final = b'{"index":%d,"delta":{"content":%b},"logprobs":null,"finish_reason":null}'


class ChatEvents:
    """Writes the chunks of one streamed answer; the role comes once for each choice.

    empty: a chunk without choices, as each of the others has it around its own.
    """

    def __init__(
        self,
        answer: ChatAnswer,
        empty: m.CreateChatCompletionStreamResponse,
        *,
        shows_logprobs: bool,
        prompt_token_ids: Sequence[int] | None = None,
        counts: Callable[[], ChatUsage] | None = None,
        timings: RequestTimings | None = None,
    ) -> None:
        """Begin the answers of one request.

        prompt_token_ids: tokens to be written into the first chunk, and with it the tokens of each chunk.
        counts: returns the token counts so far, for every chunk.
        timings: times to be added up, and written into every chunk.
        """
        self._answer = answer
        self._empty = empty
        self._is_plain = not (shows_logprobs or answer.shows_ids or counts or timings)
        self._prompt_token_ids = prompt_token_ids
        self._counts = counts
        self._timings = timings
        self._begun: set[int] = set()
        self._inputs: dict[tuple[int, int], CustomInput] = {}  # of open calls, by choice and call
        self._plain = ChunkTemplate(empty, _TEXT_CHOICE)

    def encode(self, delta: ChatDelta) -> EncodedEvent | m.CreateChatCompletionStreamResponse | None:
        """Return the chunk of a delta; None if there is nothing to show."""
        is_text = not (delta.tool_calls or delta.finish or delta.reasoning)
        if self._is_plain and is_text and delta.index in self._begun:
            return self._plain.fill(delta.index, orjson.dumps(delta.content))
        return self.chunk(delta)

    def chunk(self, delta: ChatDelta) -> m.CreateChatCompletionStreamResponse | None:
        """Return the chunk of a delta as the contract's model; None if there is nothing to show."""
        is_text = not (delta.tool_calls or delta.finish or delta.reasoning)
        if self._timings is not None:
            self._timings.add(delta.events)
        if is_text and not delta.content and not self._answer.shows_ids:
            return None
        choice = self._choice(delta)
        if choice is None:
            return None
        chunk = self._empty.model_copy(update={"choices": [choice]})
        if self._prompt_token_ids is not None:
            chunk.prompt_token_ids, self._prompt_token_ids = list(self._prompt_token_ids), None
        if self._counts is not None:
            chunk.usage = usage(self._counts())
        return self._timed(chunk)

    def empty(self, *indexes: int) -> m.CreateChatCompletionStreamResponse:
        """Return a chunk that adds nothing to these choices, for tokens whose text is held back."""
        choices = [
            m.ChatCompletionStreamChoice(
                index=index, delta=m.ChatCompletionStreamResponseDelta(), logprobs=None, finish_reason=None
            )
            for index in indexes
        ]
        return self._empty.model_copy(update={"choices": choices})

    def usage(self, counts: ChatUsage) -> m.CreateChatCompletionStreamResponse:
        """The chunk that follows the last choice, where the client asked for it."""
        return self._timed(self._empty.model_copy(update={"usage": usage(counts)}))

    def _timed(self, chunk: m.CreateChatCompletionStreamResponse) -> m.CreateChatCompletionStreamResponse:
        if self._timings is not None:
            chunk.timings = self._timings.write()
        return chunk

    def _choice(self, delta: ChatDelta) -> m.ChatCompletionStreamChoice | None:
        piece = self._delta(delta)
        if not piece.model_fields_set and delta.finish is None and not self._answer.shows_ids:
            return None  # thoughts that are not shown
        choice = m.ChatCompletionStreamChoice(
            index=delta.index,
            delta=piece,
            logprobs=self._answer.logprobs(delta.answer_events),
            finish_reason=self._answer.finish_reason(delta.finish) if delta.finish else None,
        )
        if delta.finish:
            choice.stop_reason = self._answer.stop_reason(delta.events[-1])
        if self._answer.shows_ids:
            choice.token_ids = [event.token_id for event in delta.events]
        return choice

    def _delta(self, delta: ChatDelta) -> m.ChatCompletionStreamResponseDelta:
        piece = m.ChatCompletionStreamResponseDelta()
        if delta.index not in self._begun:
            self._begun.add(delta.index)
            piece.role = "assistant"
            piece.content = None if delta.tool_calls else ""
        if delta.content:
            piece.content = delta.content
        if delta.reasoning:
            for name in self._answer.reasoning_fields:
                setattr(piece, name, delta.reasoning)
        if self._answer.has_functions and delta.tool_calls:
            piece.function_call = _function(delta.tool_calls[0])
            return piece
        calls = [*map(partial(self._tool_call, delta.index), delta.tool_calls), *self._rests(delta)]
        if shown := [call for call in calls if call is not None]:
            piece.tool_calls = shown
        return piece

    def _tool_call(self, index: int, call: ToolCallDelta) -> m.ChatCompletionMessageToolCallChunk | None:
        """Return a piece of a call; None for one that adds nothing to a custom tool's input."""
        if call.name is not None and call.name in self._answer.custom_tools:
            self._inputs[index, call.index] = CustomInput()
        reader = self._inputs.get((index, call.index))
        if reader is None:
            chunk = m.ChatCompletionMessageToolCallChunk(index=call.index, function=_function(call))
            if call.id is not None:
                chunk.id, chunk.type = call.id, "function"
            return chunk
        custom = m.CalledCustomToolChunk(input=reader.feed(call.arguments))
        chunk = m.ChatCompletionMessageToolCallChunk(index=call.index, custom=custom)
        if call.name is not None and call.id is not None:
            custom.name, chunk.id, chunk.type = call.name, call.id, "custom"
        return chunk if custom.input or chunk.id else None

    def _rests(self, delta: ChatDelta) -> Iterator[m.ChatCompletionMessageToolCallChunk]:
        """Yield the ends of inputs that were not certain before the answer's own end."""
        if delta.finish is None:
            return
        calls = sorted(call for index, call in self._inputs if index == delta.index)
        for call in calls:
            is_cut = call == calls[-1] and delta.finish is ChatFinish.LENGTH
            if rest := self._inputs.pop((delta.index, call)).end(is_cut=is_cut):
                custom = m.CalledCustomToolChunk(input=rest)
                yield m.ChatCompletionMessageToolCallChunk(index=call, custom=custom)


def _function(call: ToolCallDelta) -> m.CalledFunctionChunk:
    function = m.CalledFunctionChunk(arguments=call.arguments)
    if call.name is not None:
        function.name = call.name
    return function


def empty_chunk(
    envelope: Envelope, fingerprint: str, *, shows_usage: bool, names_tier: bool
) -> m.CreateChatCompletionStreamResponse:
    """A chunk without choices."""
    chunk = m.CreateChatCompletionStreamResponse(
        id=envelope.id,
        object="chat.completion.chunk",
        created=envelope.created,
        model=envelope.model,
        system_fingerprint=fingerprint,
        choices=[],
    )
    if names_tier:
        chunk.service_tier = "default"
    if shows_usage:
        chunk.usage = None
    return chunk
