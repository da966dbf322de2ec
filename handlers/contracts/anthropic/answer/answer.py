"""An answer while the model writes it; no I/O.

Whole answers and streams are made of the same blocks, so that they cannot differ.
"""

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from handlers.chat.delta import ChatDelta, ChatFinish, ToolCallDelta
from handlers.contracts.anthropic.answer.blocks import Block, ReasoningBlock, TextBlock, ToolUse, WireBlock


class Begun(NamedTuple):
    """A block stands in the answer."""

    block: Block


class Gained(NamedTuple):
    """A block is longer by a piece of text."""

    block: Block
    piece: str


class Closed(NamedTuple):
    """A block will not change any more."""

    block: Block


Step: TypeAlias = Begun | Gained | Closed


class Answer:
    """The blocks of one answer in the order in which the model writes them; at most the last one is open.

    finish: why it ended, None before it does. stop_match: the stop text that ended it, if one did.
    """

    def __init__(self, *, hides_reasoning: bool) -> None:
        self.finish: ChatFinish | None = None
        self.stop_match: str | None = None
        self._hides_reasoning = hides_reasoning
        self._blocks: list[Block] = []
        self._open: Block | None = None

    def feed(self, delta: ChatDelta) -> Iterator[Step]:
        """Yield the steps that a delta leads to; a step has been taken when it is yielded."""
        if delta.reasoning:
            if not isinstance(self._open, ReasoningBlock):
                yield from self._begin(ReasoningBlock(len(self._blocks), is_hidden=self._hides_reasoning))
            yield self._gain(delta.reasoning)
        if delta.content:
            if not isinstance(self._open, TextBlock):
                yield from self._begin(TextBlock(len(self._blocks)))
            yield self._gain(delta.content)
        for piece in delta.tool_calls:
            yield from self._use(piece)
        if delta.finish is not None:
            self.finish, self.stop_match = delta.finish, delta.stop_match
            yield from self._close()

    def wire(self) -> list[WireBlock]:
        return [block.wire() for block in self._blocks]

    def _use(self, piece: ToolCallDelta) -> Iterator[Step]:
        if piece.id is not None and piece.name is not None:
            yield from self._begin(ToolUse(len(self._blocks), piece.id, piece.name))
        assert isinstance(self._open, ToolUse), "a call's pieces follow each other"
        if piece.arguments:
            yield self._gain(piece.arguments)

    def _begin(self, block: Block) -> Iterator[Step]:
        yield from self._close()
        self._blocks.append(block)
        self._open = block
        yield Begun(block)

    def _gain(self, piece: str) -> Gained:
        assert self._open is not None, "a block is open"
        self._open.gain(piece)
        return Gained(self._open, piece)

    def _close(self) -> Iterator[Step]:
        block, self._open = self._open, None
        if block is not None:
            yield Closed(block)
