"""The items of a response's output while the model writes them; no I/O."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from secrets import token_hex
from typing import ClassVar, Literal, TypeAlias

from pydantic import MISSING
from typing_extensions import override

from generated.openai import models as m
from handlers.contracts.openai.custom_tool import CustomInput

ItemStatus: TypeAlias = Literal["in_progress", "completed", "incomplete"]
WireItem: TypeAlias = (
    m.ResponseReasoningItem | m.ResponseOutputMessage | m.ResponseFunctionCall | m.ResponseCustomToolCall
)


class OutputItem(ABC):
    """One item of the output. index: its place there. status: "in_progress" until the item is closed."""

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


class ReasoningItem(OutputItem):
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


class Call(OutputItem):
    """A call that the model makes. namespace: the tool's namespace; None for a tool without one."""

    def __init__(self, index: int, call_id: str, name: str, namespace: str | None = None) -> None:
        super().__init__(index)
        self.call_id = call_id
        self.name = name
        self.namespace = namespace

    def read(self, arguments: str) -> str:
        """Return the text that the item gains by a piece of the arguments."""
        return arguments

    def rest(self, *, is_cut: bool) -> str:
        """Return the text that the item gains at its end. is_cut: whether the arguments are not whole."""
        return ""


class FunctionCall(Call):
    """A call of a function; its text is the arguments."""

    prefix = "fc"

    @override
    def wire(self) -> m.ResponseFunctionCall:
        return m.ResponseFunctionCall(
            id=self.id,
            type="function_call",
            call_id=self.call_id,
            name=self.name,
            arguments="" if self.is_open else self.text,
            namespace=MISSING if self.namespace is None else self.namespace,
            status=self.status,
        )


class CustomCall(Call):
    """A call of a custom tool; its text is the tool's input."""

    prefix = "ctc"

    def __init__(self, index: int, call_id: str, name: str, namespace: str | None = None) -> None:
        super().__init__(index, call_id, name, namespace)
        self._input = CustomInput()

    @override
    def read(self, arguments: str) -> str:
        return self._input.feed(arguments)

    @override
    def rest(self, *, is_cut: bool) -> str:
        return self._input.end(is_cut=is_cut)

    @override
    def wire(self) -> m.ResponseCustomToolCall:
        return m.ResponseCustomToolCall(
            id=self.id,
            type="custom_tool_call",
            call_id=self.call_id,
            name=self.name,
            input="" if self.is_open else self.text,
            namespace=MISSING if self.namespace is None else self.namespace,
            status=self.status,
        )
