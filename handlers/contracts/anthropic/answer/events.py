"""The events of a streamed answer.

A piece of text goes into a prebuilt envelope; a test holds it to the model's own serialisation.
"""

from collections.abc import Iterator
from typing import Final, TypeAlias

import orjson

from generated.anthropic import models as m
from handlers.chat.usage import ChatUsage
from handlers.contracts.anthropic.answer.answer import Begun, Closed, Gained, Step
from handlers.contracts.anthropic.answer.blocks import Block, ReasoningBlock, TextBlock, ToolUse
from handlers.contracts.anthropic.answer.usage import delta_usage
from verbatim_kit.runtime.operation import EncodedEvent

MessageEvent: TypeAlias = m.MessageStreamEvent | EncodedEvent

# In the order of the models' fields: the block's place, and the piece as JSON text.
_PIECES: Final[dict[type[Block], bytes]] = {
    TextBlock: b'{"type":"content_block_delta","index":%d,"delta":{"type":"text_delta","text":%b}}',
    ReasoningBlock: (
        b'{"type":"content_block_delta","index":%d,"delta":{"type":"thinking_delta","thinking":%b}}'
    ),
    ToolUse: (
        b'{"type":"content_block_delta","index":%d,"delta":{"type":"input_json_delta","partial_json":%b}}'
    ),
}


def begin(message: m.Message) -> Iterator[MessageEvent]:
    """Yield the first events; Anthropic's streams have a ping early on.

    message: its state before the model has said anything.
    """
    yield m.MessageStartEvent(type="message_start", message=message)
    yield m.PingEvent(type="ping")


def write(step: Step) -> Iterator[MessageEvent]:
    match step:
        case Begun(block):
            yield m.ContentBlockStartEvent(
                type="content_block_start", index=block.index, content_block=block.empty()
            )
        case Gained(block, piece):
            if not (isinstance(block, ReasoningBlock) and block.is_hidden):
                yield EncodedEvent(_PIECES[type(block)] % (block.index, orjson.dumps(piece)))
        case Closed(block):
            if isinstance(block, ReasoningBlock):
                signature = m.SignatureDelta(type="signature_delta", signature=block.signature)
                yield m.ContentBlockDeltaEvent(type="content_block_delta", index=block.index, delta=signature)
            yield m.ContentBlockStopEvent(type="content_block_stop", index=block.index)


def end(message: m.Message, counts: ChatUsage) -> Iterator[MessageEvent]:
    """Yield the last events. message: its state from now on."""
    delta = m.MessageDelta(
        stop_reason=message.stop_reason,
        stop_sequence=message.stop_sequence,
        stop_details=message.stop_details,
    )
    yield m.MessageDeltaEvent(
        type="message_delta",
        delta=delta,
        usage=delta_usage(counts),
        context_management=message.context_management,
    )
    yield m.MessageStopEvent(type="message_stop")
