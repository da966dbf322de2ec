"""The typed events of a streamed response.

A piece of text goes into a prebuilt envelope; a test holds it to the model's own serialisation.
"""

from collections.abc import Iterable, Iterator
from itertools import count
from typing import Final, TypeAlias

import orjson

from generated.openai import models as m
from handlers.contracts.openai.responses.answer.item import (
    CustomCall,
    FunctionCall,
    Message,
    OutputItem,
    ReasoningItem,
)
from handlers.contracts.openai.responses.answer.output import Begun, Closed, Gained, Step
from verbatim_kit.runtime.operation import EncodedEvent

ResponseEvent: TypeAlias = m.ResponseStreamEvent | EncodedEvent

# In the order of the models' fields: number, item's id and place, and the piece as JSON text.
_PIECES: Final[dict[type[OutputItem], bytes]] = {
    ReasoningItem: (
        b'{"type":"response.reasoning_text.delta","sequence_number":%d,"item_id":"%b","output_index":%d,'
        b'"content_index":0,"delta":%b}'
    ),
    Message: (
        b'{"type":"response.output_text.delta","sequence_number":%d,"item_id":"%b","output_index":%d,'
        b'"content_index":0,"delta":%b,"logprobs":[]}'
    ),
    FunctionCall: (
        b'{"type":"response.function_call_arguments.delta","sequence_number":%d,"item_id":"%b",'
        b'"output_index":%d,"delta":%b}'
    ),
    CustomCall: (
        b'{"type":"response.custom_tool_call_input.delta","sequence_number":%d,"item_id":"%b",'
        b'"output_index":%d,"delta":%b}'
    ),
}


class ResponseEvents:
    """Writes the events of one response.

    has_begun: whether any event has been written. is_in_progress: whether one has said that it is so.
    """

    def __init__(self) -> None:
        self.has_begun = False
        self.is_in_progress = False
        self._numbers = count()

    def queue(self, response: m.Response) -> Iterator[ResponseEvent]:
        """Yield the first events of a response that waits. response: its state before it is in progress."""
        yield self._created(response)
        yield m.ResponseQueuedEvent(
            type="response.queued", sequence_number=next(self._numbers), response=response
        )

    def begin(self, response: m.Response) -> Iterator[ResponseEvent]:
        """Yield the events before the model says anything. response: its state then."""
        self.is_in_progress = True
        if not self.has_begun:
            yield self._created(response)
        yield m.ResponseInProgressEvent(
            type="response.in_progress", sequence_number=next(self._numbers), response=response
        )

    def write(self, steps: Iterable[Step]) -> Iterator[ResponseEvent]:
        for step in steps:
            match step:
                case Begun(item):
                    yield from self._begun(item)
                case Gained():
                    yield self._gained(step)
                case Closed(item):
                    yield from self._closed(item)

    def end(self, response: m.Response) -> ResponseEvent:
        """Return the last event. response: its state from now on."""
        number = next(self._numbers)
        if response.status == "completed":
            return m.ResponseCompletedEvent(
                type="response.completed", sequence_number=number, response=response
            )
        if response.status == "incomplete":
            return m.ResponseIncompleteEvent(
                type="response.incomplete", sequence_number=number, response=response
            )
        return m.ResponseFailedEvent(type="response.failed", sequence_number=number, response=response)

    def _created(self, response: m.Response) -> ResponseEvent:
        self.has_begun = True
        return m.ResponseCreatedEvent(
            type="response.created", sequence_number=next(self._numbers), response=response
        )

    def _begun(self, item: OutputItem) -> Iterator[ResponseEvent]:
        yield m.ResponseOutputItemAddedEvent(
            type="response.output_item.added",
            sequence_number=next(self._numbers),
            output_index=item.index,
            item=item.wire(),
        )
        if isinstance(item, ReasoningItem | Message):
            yield m.ResponseContentPartAddedEvent(
                type="response.content_part.added",
                sequence_number=next(self._numbers),
                item_id=item.id,
                output_index=item.index,
                content_index=0,
                part=item.part(),
            )

    def _gained(self, step: Gained) -> ResponseEvent:
        item, number = step.item, next(self._numbers)
        if not step.logprobs:
            piece = orjson.dumps(step.piece)
            return EncodedEvent(_PIECES[type(item)] % (number, item.id.encode(), item.index, piece))
        return m.ResponseTextDeltaEvent(
            type="response.output_text.delta",
            sequence_number=number,
            item_id=item.id,
            output_index=item.index,
            content_index=0,
            delta=step.piece,
            logprobs=list(step.logprobs),
        )

    def _closed(self, item: OutputItem) -> Iterator[ResponseEvent]:
        match item:
            case FunctionCall():
                yield self._arguments_done(item)
            case CustomCall():
                yield m.ResponseCustomToolCallInputDoneEvent(
                    type="response.custom_tool_call_input.done",
                    sequence_number=next(self._numbers),
                    item_id=item.id,
                    output_index=item.index,
                    input=item.text,
                )
            case ReasoningItem() | Message():
                yield self._text_done(item)
                yield m.ResponseContentPartDoneEvent(
                    type="response.content_part.done",
                    sequence_number=next(self._numbers),
                    item_id=item.id,
                    output_index=item.index,
                    content_index=0,
                    part=item.part(),
                )
        yield m.ResponseOutputItemDoneEvent(
            type="response.output_item.done",
            sequence_number=next(self._numbers),
            output_index=item.index,
            item=item.wire(),
        )

    def _arguments_done(self, item: FunctionCall) -> ResponseEvent:
        return m.ResponseFunctionCallArgumentsDoneEvent(
            type="response.function_call_arguments.done",
            sequence_number=next(self._numbers),
            item_id=item.id,
            output_index=item.index,
            name=item.name,
            arguments=item.text,
        )

    def _text_done(self, item: ReasoningItem | Message) -> ResponseEvent:
        number = next(self._numbers)
        if isinstance(item, Message):
            return m.ResponseTextDoneEvent(
                type="response.output_text.done",
                sequence_number=number,
                item_id=item.id,
                output_index=item.index,
                content_index=0,
                text=item.text,
                logprobs=item.logprobs,
            )
        return m.ResponseReasoningTextDoneEvent(
            type="response.reasoning_text.done",
            sequence_number=number,
            item_id=item.id,
            output_index=item.index,
            content_index=0,
            text=item.text,
        )
