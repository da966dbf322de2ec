"""The input items of a response or a decision as a conversation."""

import json
import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple, TypeAlias

from msgspec.structs import replace

from engine.port.request import MediaKind
from generated.openai import models as m
from handlers.chat.messages import ChatMessage, Content, ContentPart, MediaPart, TextPart
from handlers.chat.tools import ToolCall
from handlers.contracts.openai.custom_tool import as_arguments
from handlers.contracts.openai.files import file_part
from handlers.contracts.openai.json_part import json_text
from handlers.contracts.openai.responses.request.compaction import SUMMARY, read_summary
from handlers.contracts.openai.responses.request.items import (
    NONE_EARLIER,
    CallItem,
    Earlier,
    InputItem,
    ResultItem,
    call_id,
    item_field,
)
from handlers.contracts.openai.responses.request.tools import function_name
from verbatim_kit.errors import Refused, Violation

InputPart: TypeAlias = (
    m.ResponseInputText
    | m.ResponseInputImage
    | m.ResponseInputFile
    | m.DecisionInputImage
    | m.DecisionInputJson
)
AssistantPart: TypeAlias = m.ResponseOutputTextInput | m.ResponseRefusalInput | m.ResponseInputText


class Place(NamedTuple):
    """The places in the request that a message and its content come from."""

    message: str
    content: str


class Conversation:
    """Messages, and where in the request each comes from.

    What the model thought, said and called between two turns of others is one message of its: items of these
    kinds that follow each other go into one, in this order.
    """

    def __init__(
        self,
        instructions: str | None,
        items: str | Sequence[InputItem],
        dropped: AbstractSet[int] = frozenset(),
        earlier: Earlier = NONE_EARLIER,
    ) -> None:
        """Read the items. Raises Refused for an item that cannot be honoured.

        dropped: the places of items to leave out. earlier: those that come from the store.
        """
        self._messages: list[ChatMessage] = []
        self._places: list[Place] = []
        self._names: dict[str, str] = {}  # of the functions called, by call
        if instructions is not None:
            self._add(ChatMessage(role="system", content=instructions), Place("instructions", "instructions"))
        if isinstance(items, str):
            self._add(ChatMessage(role="user", content=items), Place("input", "input"))
            return
        kept = _kept(items)
        for at, item in enumerate(items):
            if at not in dropped and at in kept:
                self._read(item, item_field(at, earlier))

    @property
    def messages(self) -> tuple[ChatMessage, ...]:
        return tuple(self._messages)

    def field(self, field: str) -> str:
        """Return the place in the request of a field of the messages, such as `messages[1].content[0]`."""
        found = re.fullmatch(r"messages\[(\d+)\](\.content)?(.*)", field)
        if found is None:
            return "input" if field == "messages" else field
        place = self._places[int(found[1])]
        return (place.content if found[2] else place.message) + found[3]

    def _read(self, item: InputItem, at: str) -> None:
        match item:
            case m.ResponseInputMessage() | m.DecisionUserMessage() | m.DecisionInstructionMessage():
                message = ChatMessage(role=item.role, content=content_of(item.content, f"{at}.content"))
                self._add(message, Place(at, f"{at}.content"))
            case (
                m.ResponseFunctionCallOutput()
                | m.ResponseCustomToolCallOutput()
                | m.ResponseShellCallOutput()
            ):
                self._add_output(item, at)
            case m.ResponseReasoningInput():
                self._add(ChatMessage(role="assistant", reasoning=_reasoning_text(item)), Place(at, at))
            case m.ResponseAssistantMessage():
                self._add_words(item, at)
            case m.ResponseFunctionCallInput() | m.ResponseCustomToolCallInput() | m.ResponseShellCallInput():
                self._add_call(item, at)
            case m.ResponseHostedItem():
                pass  # the words that the model made of it are items of their own
            case m.ResponseAdditionalTools():
                pass  # the toolbox has them
            case m.ResponseCompactionItem():
                text = SUMMARY.format(read_summary(item.encrypted_content, f"{at}.encrypted_content"))
                self._add(ChatMessage(role="user", content=text), Place(at, f"{at}.encrypted_content"))
            case m.ResponseSteeringItem():
                _check_changes_nothing(item, at)
            case m.ResponseItemReference():
                raise AssertionError("the memory puts the items in place of references to them")

    def _add(self, message: ChatMessage, place: Place) -> None:
        self._messages.append(message)
        self._places.append(place)

    def _add_words(self, item: m.ResponseAssistantMessage, at: str) -> None:
        place = Place(at, f"{at}.content")
        content = _words(item.content)
        last = self._own_turn()
        if last is None or last.content is not None or last.tool_calls:
            self._add(ChatMessage(role="assistant", content=content), place)
        else:
            self._messages[-1] = replace(last, content=content)
            self._places[-1] = place

    def _add_call(self, item: CallItem, at: str) -> None:
        id = call_id(item) or at  # a call without an id has no result here
        call = ToolCall(id=id, name=_function(item), arguments=_arguments(item))
        self._names[id] = call.name
        last = self._own_turn()
        if last is None:
            self._add(ChatMessage(role="assistant", tool_calls=(call,)), Place(at, at))
        else:
            self._messages[-1] = replace(last, tool_calls=(*last.tool_calls, call))

    def _own_turn(self) -> ChatMessage | None:
        """The last message, if it is the model's own."""
        last = self._messages[-1] if self._messages else None
        return last if last is not None and last.role == "assistant" else None

    def _add_output(self, item: ResultItem, at: str) -> None:
        id = call_id(item)
        if id is None:
            raise Refused("A result needs the id of its call.", f"{at}.call_id")
        if id not in self._names:
            reason = f"No tool call found for function call output with call_id '{id}'."
            raise Refused(reason, f"{at}.call_id")
        place = Place(at, f"{at}.output")
        content = _result(item, place.content)
        message = ChatMessage(role="tool", content=content, tool_call_id=id, name=self._names[id])
        self._add(message, place)


def _kept(items: Sequence[InputItem]) -> AbstractSet[int]:
    """Return the places of the items that no compaction after them stands for."""
    compactions = [at for at, item in enumerate(items) if isinstance(item, m.ResponseCompactionItem)]
    last = compactions[-1] if compactions else 0
    lasting = m.ResponseInputMessage | m.ResponseAdditionalTools
    return {at for at, item in enumerate(items) if at >= last or isinstance(item, lasting)}


def _check_changes_nothing(item: m.ResponseSteeringItem, at: str) -> None:
    """Raise Refused for an item that would change how this or later requests are answered."""
    fields = item.model_extra or {}
    reasoning, text = fields.get("reasoning"), fields.get("text")
    effort = reasoning.get("effort") if isinstance(reasoning, dict) else reasoning
    if item.type == "compaction_trigger":
        reason = "Nothing is compacted while it is answered; '/v1/responses/compact' does what this asks for."
        raise Refused(reason, f"{at}.type", Violation.UNSUPPORTED_VALUE)
    if effort is not None or text is not None:
        reason = (
            "Each request has a configuration of its own: 'reasoning' and 'text' say what this item would."
        )
        raise Refused(reason, f"{at}.type", Violation.UNSUPPORTED_VALUE)


def _function(item: CallItem) -> str:
    """Return the name of the function that the model called."""
    if isinstance(item, m.ResponseShellCallInput):
        return item.type.removesuffix("_call")
    return function_name(item.name, item.namespace)


def _arguments(item: CallItem) -> str:
    """Return the arguments of the call as JSON text."""
    match item:
        case m.ResponseFunctionCallInput():
            return item.arguments
        case m.ResponseCustomToolCallInput():
            return as_arguments(item.input)
        case m.ResponseShellCallInput():
            return json.dumps(item.action or item.operation or {}, ensure_ascii=False)


def _result(item: ResultItem, field: str) -> Content:
    if not isinstance(item, m.ResponseShellCallOutput):
        return content_of(item.output, field)
    return item.output if isinstance(item.output, str) else json.dumps(item.output, ensure_ascii=False)


def content_of(content: str | Sequence[InputPart], field: str) -> Content:
    """Return the content of a message. field: its place in the request. Raises Refused."""
    if isinstance(content, str):
        return content
    return tuple(_part(part, f"{field}[{place}]") for place, part in enumerate(content))


def _part(part: InputPart, field: str) -> ContentPart:
    match part:
        case m.ResponseInputText():
            return TextPart(part.text)
        case m.ResponseInputImage():
            return MediaPart(MediaKind.IMAGE, _image_url(part, field))
        case m.DecisionInputImage():
            return MediaPart(MediaKind.IMAGE, part.image_url)
        case m.DecisionInputJson():
            return TextPart(json_text(part, field))
        case m.ResponseInputFile():
            return file_part(part, part.file_url, field)


def _image_url(part: m.ResponseInputImage, field: str) -> str:
    if part.image_url is not None:
        return part.image_url
    if part.file_id is not None:
        reason = "An item cannot refer to a stored file; send the image in 'image_url'."
        raise Refused(reason, f"{field}.file_id", Violation.UNSUPPORTED_VALUE)
    raise Refused("An image needs its 'image_url'.", f"{field}.image_url", Violation.MISSING)


def _words(content: str | Sequence[AssistantPart]) -> str | tuple[ContentPart, ...]:
    if isinstance(content, str):
        return content
    return tuple(
        TextPart(part.refusal if isinstance(part, m.ResponseRefusalInput) else part.text) for part in content
    )


def _reasoning_text(item: m.ResponseReasoningInput) -> str:
    """The thoughts; a summary stands in for them where there are none."""
    texts = item.content or item.summary or ()
    return "\n\n".join(text.text for text in texts)
