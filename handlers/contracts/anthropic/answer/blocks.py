"""The blocks of an answer while the model writes them; no I/O."""

from abc import ABC, abstractmethod
from base64 import b64encode
from hashlib import sha256
from typing import Any, TypeAlias

from pydantic_core import from_json
from typing_extensions import override

from generated.anthropic import models as m

WireBlock: TypeAlias = m.TextBlock | m.ThinkingBlock | m.ToolUseBlock


class Block(ABC):
    """One block. index: its place in the answer. text: all that it has gained."""

    def __init__(self, index: int) -> None:
        self.index = index
        self._pieces: list[str] = []

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def gain(self, piece: str) -> None:
        self._pieces.append(piece)

    @abstractmethod
    def empty(self) -> WireBlock:
        """Return the block as it begins in a stream."""

    @abstractmethod
    def wire(self) -> WireBlock:
        """Return the whole block."""


class TextBlock(Block):
    """Text that the model says."""

    @override
    def empty(self) -> m.TextBlock:
        return m.TextBlock(type="text", text="")

    @override
    def wire(self) -> m.TextBlock:
        return m.TextBlock(type="text", text=self.text)


class ReasoningBlock(Block):
    """Text that the model thinks before it answers. is_hidden: whether the answer leaves them out."""

    def __init__(self, index: int, *, is_hidden: bool) -> None:
        super().__init__(index)
        self.is_hidden = is_hidden

    @property
    def signature(self) -> str:
        """Clients want one. It is a digest that anyone could make."""
        return b64encode(sha256(self.text.encode()).digest()).decode()

    @override
    def empty(self) -> m.ThinkingBlock:
        return m.ThinkingBlock(type="thinking", thinking="", signature="")

    @override
    def wire(self) -> m.ThinkingBlock:
        reasoning = "" if self.is_hidden else self.text
        return m.ThinkingBlock(type="thinking", thinking=reasoning, signature=self.signature)


class ToolUse(Block):
    """A call of a tool; its text is the input."""

    def __init__(self, index: int, use_id: str, name: str) -> None:
        super().__init__(index)
        self.id = use_id
        self.name = name

    @override
    def empty(self) -> m.ToolUseBlock:
        return m.ToolUseBlock(type="tool_use", id=self.id, name=self.name, input={})

    @override
    def wire(self) -> m.ToolUseBlock:
        return m.ToolUseBlock(type="tool_use", id=self.id, name=self.name, input=_input(self.text))


def _input(text: str) -> dict[str, Any]:
    """Return the input, or as much of it as there is where the bound of tokens has cut it short."""
    try:
        value = from_json(text, allow_partial=True, allow_inf_nan=False)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
