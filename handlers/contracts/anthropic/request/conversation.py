"""A conversation of the wire in neutral terms."""

import json
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from generated.anthropic import models as m
from handlers.chat.messages import ChatMessage, is_continuable
from handlers.chat.prompt.conversation import joined
from handlers.chat.tools import ToolCall
from handlers.contracts.anthropic.request.texts import readable_content, result_content, system_text
from handlers.operations.missing import given
from verbatim_kit.errors import Refused, Violation

_BETWEEN_TURNS = "\n\n"  # that are one turn


def conversation(
    system: str | Sequence[m.TextBlockParam] | None, messages: Sequence[m.MessageParam]
) -> tuple[ChatMessage, ...]:
    """Turns of one role that follow each other become one. Raises Refused for what cannot be honoured."""
    reader = _Reader()
    text = "" if system is None else system_text(system)
    if text:
        reader.add(ChatMessage(role="system", content=text))
    full = _without_empty_beginning(messages)
    for place, message in enumerate(full):
        reader.read(message, f"messages[{place}].content")
    messages_read = reader.messages()
    _check_end(full, messages_read)
    return messages_read


def found_tools(messages: Sequence[m.MessageParam]) -> frozenset[str]:
    """Return the names of the tools that results of the client's own search refer to."""
    return frozenset(
        part.tool_name
        for message in messages
        for block in _blocks(message.content)
        if isinstance(block, m.ToolResultBlockParam) and isinstance(block.content, list)
        for part in block.content
        if isinstance(part, m.ToolReferenceBlockParam)
    )


class _Reader:
    """Reads message by message. Invariant: a result follows its call, before anybody else speaks."""

    def __init__(self) -> None:
        self._turns: list[_Turn] = []
        self._names: dict[str, str] = {}  # of tools, by use
        self._unanswered: set[str] = set()
        self._is_new_turn = False

    def messages(self) -> tuple[ChatMessage, ...]:
        """Return what has been read, a message for each turn."""
        return tuple(turn.message() for turn in self._turns)

    def read(self, message: m.MessageParam, field: str) -> None:
        content = message.content
        blocks = _blocks(content)
        if not blocks:
            raise Refused("must not be empty", field, Violation.TOO_SHORT)
        for place, block in enumerate(blocks):
            self._read_block(message.role, block, field if isinstance(content, str) else f"{field}[{place}]")
        if message.role != "assistant" and self._unanswered:
            listed = ", ".join(sorted(self._unanswered))
            raise Refused(f"the tool uses before it have no `tool_result` here: {listed}", field)
        self._is_new_turn = True

    def add(self, message: ChatMessage) -> None:
        """Add a message, as a part of the last one if that is of the same role."""
        last = self._turns[-1] if self._turns else None
        if last is None or last.role != message.role or message.role not in ("user", "assistant"):
            self._turns.append(_Turn(message))
        else:
            last.add(message, _BETWEEN_TURNS if self._is_new_turn else "")
        self._is_new_turn = False

    def _read_block(self, role: str, block: Any, field: str) -> None:
        match block:
            case m.TextBlockParam():
                self.add(ChatMessage(role=role, content=block.text))
            case m.ImageBlockParam() | m.DocumentBlockParam() | m.SearchResultBlockParam() if role == "user":
                self.add(ChatMessage(role=role, content=readable_content(block, field)))
            case m.ToolResultBlockParam() if role == "user":
                self._add_result(block, field)
            case m.ThinkingBlockParam() if role == "assistant":
                self.add(ChatMessage(role=role, reasoning=block.thinking))
            case m.RedactedThinkingBlockParam() if role == "assistant":
                self.add(ChatMessage(role=role))
            case m.ToolUseBlockParam() if role == "assistant":
                self._add_use(block, field)
            case m.ServerBlockParam():
                reason = f"{block.type} is of tools that Anthropic runs, which this server does not have"
                raise Refused(reason, f"{field}.type", Violation.UNSUPPORTED_VALUE)
            case _:
                reason = f"a message of the role {role} cannot hold {block.type}"
                raise Refused(reason, f"{field}.type", Violation.UNSUPPORTED_VALUE)

    def _add_use(self, block: m.ToolUseBlockParam, field: str) -> None:
        if block.id in self._names:
            raise Refused("an earlier tool use has this id too", f"{field}.id")
        self._names[block.id] = block.name
        self._unanswered.add(block.id)
        arguments = json.dumps(block.input, ensure_ascii=False)
        call = ToolCall(id=block.id, name=block.name, arguments=arguments)
        self.add(ChatMessage(role="assistant", tool_calls=(call,)))

    def _add_result(self, block: m.ToolResultBlockParam, field: str) -> None:
        if block.tool_use_id not in self._unanswered:
            reason = "no tool use of the message before it has this id"
            raise Refused(reason, f"{field}.tool_use_id")
        if self._turns[-1].role not in ("assistant", "tool"):
            raise Refused("a `tool_result` must come before all else in its message", field)
        self._unanswered.remove(block.tool_use_id)
        content = result_content(given(block.content) or "", f"{field}.content")
        self.add(
            ChatMessage(
                role="tool",
                content=joined(("Error: ", content), "") if block.is_error else content,
                tool_call_id=block.tool_use_id,
                name=self._names[block.tool_use_id],
            )
        )


class _Turn:
    """Messages of one role that follow each other; joined at the end, as there may be thousands."""

    def __init__(self, first: ChatMessage) -> None:
        self._first = first
        self._contents = [first.content]
        self._reasoning = [first.reasoning or ""]
        self._calls = [*first.tool_calls]

    @property
    def role(self) -> str:
        return self._first.role

    def add(self, message: ChatMessage, between: str) -> None:
        """Add a message. between: the text that parts it from those before it."""
        if message.content:
            self._contents += [between, message.content] if any(self._contents) else [message.content]
        if message.reasoning:
            self._reasoning += [between, message.reasoning] if any(self._reasoning) else [message.reasoning]
        self._calls += message.tool_calls

    def message(self) -> ChatMessage:
        """Return the message that they make together."""
        return replace(
            self._first,
            content=joined(self._contents, "") or self._first.content,
            reasoning="".join(self._reasoning) or None,
            tool_calls=tuple(self._calls),
        )


def _without_empty_beginning(messages: Sequence[m.MessageParam]) -> Sequence[m.MessageParam]:
    """Return the messages without an empty last one of the assistant, which only begins the answer."""
    *before, last = messages
    return before if before and last.role == "assistant" and not last.content else messages


def _blocks(content: Any) -> Sequence[Any]:
    if isinstance(content, str):
        return [m.TextBlockParam.model_construct(type="text", text=content)] if content else []
    blocks: Sequence[Any] = content
    return blocks


def _check_end(messages: Sequence[m.MessageParam], joined: tuple[ChatMessage, ...]) -> None:
    """Raise Refused for a last message of the assistant's that cannot be continued.

    It must be text without a blank at its end.
    """
    if joined[-1].role != "assistant":
        return
    field = f"messages[{len(messages) - 1}].content"
    if not is_continuable(joined):
        raise Refused("the last message of the assistant's must end in text, which is continued", field)
    text = joined[-1].content
    assert isinstance(text, str), "the reader makes only texts"
    if text != text.rstrip():
        raise Refused("the text that is continued must not end in a blank", field)
