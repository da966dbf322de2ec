"""The items of a response's output while the model writes them; no I/O."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from secrets import token_hex
from typing import ClassVar, Literal, TypeAlias

from typing_extensions import override

from generated.openai import models as m

ItemStatus: TypeAlias = Literal["in_progress", "completed", "incomplete"]
WireItem: TypeAlias = m.ResponseReasoningItem | m.ResponseOutputMessage | m.ResponseFunctionCall


class OutputItem(ABC):
    """One item. index: its place in the output. status: in progress until the item is closed."""

    prefix: ClassVar[str]

    def __init__(self, index: int) -> None:
        self.index = index
        self.id = f"{self.prefix}_{token_hex(16)}"
        self.status: ItemStatus = "in_progress"
        self._pieces: list[str] = []

    @property
    def is_open(self) -> bool:
        return self.status == "in_progress"

    @property
    def text(self) -> str:
        """Return all text added so far."""
        return "".join(self._pieces)

    def gain(self, piece: str, logprobs: Sequence[m.ResponseLogprob] = ()) -> None:
        """Add a piece of text. Only a message keeps log-probabilities."""
        self._pieces.append(piece)

    @abstractmethod
    def wire(self) -> WireItem:
        """Return the contract's model of the item, without content while it is open."""


class Thoughts(OutputItem):
    """Text that the model thinks before it answers."""

    prefix = "rs"

    def part(self) -> m.ResponseReasoningText:
        return m.ResponseReasoningText(type="reasoning_text", text=self.text)

    @override
    def wire(self) -> m.ResponseReasoningItem:
        return m.ResponseReasoningItem(
            id=self.id,
            type="reasoning",
            summary=[],
            content=[] if self.is_open else [self.part()],
            encrypted_content=None,
            status=self.status,
        )


class Message(OutputItem):
    """Text that the model says."""

    prefix = "msg"

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.logprobs: list[m.ResponseLogprob] = []

    @override
    def gain(self, piece: str, logprobs: Sequence[m.ResponseLogprob] = ()) -> None:
        super().gain(piece)
        self.logprobs += logprobs

    def part(self) -> m.ResponseOutputText:
        return m.ResponseOutputText(
            type="output_text", text=self.text, annotations=[], logprobs=list(self.logprobs)
        )

    @override
    def wire(self) -> m.ResponseOutputMessage:
        return m.ResponseOutputMessage(
            id=self.id,
            type="message",
            role="assistant",
            status=self.status,
            content=[] if self.is_open else [self.part()],
        )


class FunctionCall(OutputItem):
    """A call that the model makes; its text is the arguments."""

    prefix = "fc"

    def __init__(self, index: int, call_id: str, name: str) -> None:
        super().__init__(index)
        self.call_id = call_id
        self.name = name

    @override
    def wire(self) -> m.ResponseFunctionCall:
        return m.ResponseFunctionCall(
            id=self.id,
            type="function_call",
            call_id=self.call_id,
            name=self.name,
            arguments="" if self.is_open else self.text,
            status=self.status,
        )
