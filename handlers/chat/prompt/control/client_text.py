"""All that a client says to a chat template."""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from handlers.chat.errors import TemplateError
from handlers.chat.messages import ChatMessage, ContentPart, Document, TextPart
from handlers.chat.prompt.control.sentinels import KNOWN_ROLES, Sentinels
from handlers.chat.tools import ToolCall, ToolDefinition


class ClientText(msgspec.Struct, frozen=True, kw_only=True):
    """The texts of a request that its template gets.

    variables: the template's variables, by names that belong to the template and are not text.
    """

    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolDefinition, ...] = ()
    documents: tuple[Document, ...] = ()
    variables: Mapping[str, object] = {}

    def joined(self) -> str | None:
        """Return all texts in one string, some as JSON; None where there is no such form (a lone
        surrogate).
        """
        texts: list[str] = []
        for message in self.messages:
            if isinstance(message.content, str):
                texts.append(message.content)
            if message.role not in KNOWN_ROLES:
                texts.append(message.role)
            texts.extend(_other_texts(message))
        if self.tools or self.documents or self.variables:
            try:
                texts.append(msgspec.json.encode((self.tools, self.documents, self.variables)).decode())
            except (TypeError, ValueError, RecursionError):
                return None
        return "\n".join(texts)

    def with_sentinels(self, sentinels: Sentinels, sentinel: str) -> "ClientText":
        """Return a copy with the sentinel wherever a control token could begin. Raises TemplateError."""
        writer = _SentinelWriter(sentinels, sentinel)
        try:
            return ClientText(
                messages=tuple(map(writer.message, self.messages)),
                tools=tuple(map(writer.tool, self.tools)),
                documents=tuple(map(writer.mapping, self.documents)),
                variables={name: writer.value(value) for name, value in self.variables.items()},
            )
        except RecursionError:
            raise TemplateError("what a message holds is nested too deeply", "messages") from None


def _other_texts(message: ChatMessage) -> list[str]:
    """Return all texts of a message except its role, and its content where that is a single text."""
    texts = [text for text in (message.reasoning, message.tool_call_id, message.name) if text is not None]
    if isinstance(message.content, tuple):
        texts += [part.text for part in message.content if isinstance(part, TextPart)]
    for call in message.tool_calls:
        texts += (call.id, call.name, call.arguments)
    return texts


class _SentinelWriter(msgspec.Struct, frozen=True):
    """Puts one sentinel into values of every kind."""

    sentinels: Sentinels
    sentinel: str

    def value(self, value: object) -> object:
        """Return a JSON value with the sentinel in every text."""
        match value:
            case str():
                return self.text(value)
            case Mapping():
                return self.mapping(value)
            case list() | tuple():
                return [self.value(inner) for inner in value]
            case _:
                return value

    def mapping(self, values: Mapping[str, object]) -> dict[str, object]:
        return {self.text(key): self.value(value) for key, value in values.items()}

    def text(self, text: str) -> str:
        return self.sentinels.put(text, self.sentinel)

    def optional(self, text: str | None) -> str | None:
        return None if text is None else self.text(text)

    def message(self, message: ChatMessage) -> ChatMessage:
        return ChatMessage(
            role=self.sentinels.put_in_role(message.role, self.sentinel),
            content=self._content(message),
            reasoning=self.optional(message.reasoning),
            tool_calls=tuple(map(self._call, message.tool_calls)),
            tool_call_id=self.optional(message.tool_call_id),
            name=self.optional(message.name),
        )

    def tool(self, tool: ToolDefinition) -> ToolDefinition:
        return replace(
            tool,
            name=self.text(tool.name),
            description=self.optional(tool.description),
            parameters=None if tool.parameters is None else self.mapping(tool.parameters),
        )

    def _content(self, message: ChatMessage) -> str | tuple[ContentPart, ...] | None:
        content = message.content
        put = self._words if message.role == "assistant" else self.text
        if content is None or isinstance(content, str):
            return content and put(content)
        return tuple(TextPart(put(part.text)) if isinstance(part, TextPart) else part for part in content)

    def _words(self, text: str) -> str:
        """Return an assistant's content with the sentinel, the tags of thoughts left whole."""
        return self.sentinels.put(text, self.sentinel, has_reasoning=True)

    def _call(self, call: ToolCall) -> ToolCall:
        return ToolCall(
            id=self.text(call.id),
            name=self.text(call.name),
            arguments=self.sentinels.put_in_json(call.arguments, self.sentinel),
        )
