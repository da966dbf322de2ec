"""A response's output while the model writes it; no I/O.

Whole answers and streams are made of the same items, so that they cannot differ.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from engine.port.events import TokenEvent
from generated.openai import models as m
from handlers.chat.delta import ChatDelta, ChatFinish, ToolCallDelta
from handlers.contracts.openai.responses.answer.item import (
    Call,
    CustomCall,
    FunctionCall,
    ItemStatus,
    Message,
    OutputItem,
    ReasoningItem,
    WireItem,
)
from handlers.contracts.openai.responses.request.tools import Toolbox


class Begun(NamedTuple):
    """An item stands in the output."""

    item: OutputItem


class Gained(NamedTuple):
    """A piece of text that an item gained. logprobs: scores of the piece's tokens, if they are asked for."""

    item: OutputItem
    piece: str
    logprobs: Sequence[m.ResponseLogprob] = ()


class Closed(NamedTuple):
    """An item will not change any more."""

    item: OutputItem


Step: TypeAlias = Begun | Gained | Closed
Logprobs: TypeAlias = Callable[[Sequence[TokenEvent]], list[m.ResponseLogprob]]


class ResponseOutput:
    """The items of one response in the order in which the model writes them; at most the last one is open.

    is_cut: whether the bound of tokens, or the context, has ended it.
    """

    def __init__(self, logprobs: Logprobs | None, tools: Toolbox | None = None) -> None:
        """Begin without items.

        logprobs: returns the log-probabilities of a message's tokens; None if the answer has none.
        tools: the tools that the model may call.
        """
        self.is_cut = False
        self._items: list[OutputItem] = []
        self._logprobs = logprobs
        self._tools = Toolbox() if tools is None else tools

    def feed(self, delta: ChatDelta) -> Iterator[Step]:
        """Yield the steps that a delta leads to; a step has been taken when it is yielded."""
        if delta.reasoning:
            yield from self._continue(ReasoningItem, delta.reasoning)
        if delta.content:
            logprobs = () if self._logprobs is None else self._logprobs(delta.answer_events)
            yield from self._continue(Message, delta.content, logprobs)
        for piece in delta.tool_calls:
            yield from self._call(piece)
        if delta.finish is not None:
            yield from self._finish(delta.finish)

    def break_off(self) -> None:
        """The response fails; an open item stays as it is."""
        if self._open_item is not None:
            self._open_item.status = "incomplete"

    def wire(self) -> list[WireItem]:
        return [item.wire() for item in self._items]

    @property
    def _open_item(self) -> OutputItem | None:
        return self._items[-1] if self._items and self._items[-1].is_open else None

    def _continue(
        self, kind: type[ReasoningItem | Message], piece: str, logprobs: Sequence[m.ResponseLogprob] = ()
    ) -> Iterator[Step]:
        if not isinstance(self._open_item, kind):
            yield from self._begin(kind(len(self._items)))
        yield self._gain(piece, logprobs)

    def _call(self, piece: ToolCallDelta) -> Iterator[Step]:
        if piece.id is not None and piece.name is not None:
            yield from self._begin(self._new_call(piece.id, piece.name))
        call = self._open_item
        assert isinstance(call, Call), "a call's pieces follow each other"
        if text := call.read(piece.arguments):
            yield self._gain(text)

    def _new_call(self, id: str, function: str) -> Call:
        tool, index = self._tools.find(function), len(self._items)
        if tool is None:
            return FunctionCall(index, id, function)
        kind = CustomCall if tool.is_custom else FunctionCall
        return kind(index, id, tool.name, tool.namespace)

    def _finish(self, finish: ChatFinish) -> Iterator[Step]:
        self.is_cut = finish is ChatFinish.LENGTH
        is_answered = any(isinstance(item, Message | Call) for item in self._items)
        if not self._items or not (self.is_cut or is_answered):
            yield from self._begin(Message(len(self._items)))  # to say nothing is an answer too
        yield from self._close("incomplete" if self.is_cut else "completed")

    def _begin(self, item: OutputItem) -> Iterator[Step]:
        yield from self._close("completed")
        self._items.append(item)
        yield Begun(item)

    def _gain(self, piece: str, logprobs: Sequence[m.ResponseLogprob] = ()) -> Gained:
        item = self._items[-1]
        item.gain(piece, logprobs)
        return Gained(item, piece, logprobs)

    def _close(self, status: ItemStatus) -> Iterator[Step]:
        item = self._open_item
        if item is None:
            return
        if isinstance(item, Call) and (text := item.rest(is_cut=status == "incomplete")):
            yield self._gain(text)
        item.status = status
        yield Closed(item)
