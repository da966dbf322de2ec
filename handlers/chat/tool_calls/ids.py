"""Identifiers of tool calls that no two answers share, in the forms that model families know."""

import hashlib
import string
from collections.abc import Callable, Sequence
from secrets import token_hex

import msgspec
from msgspec.structs import replace

from handlers.chat.messages import ChatMessage
from handlers.chat.tools import ToolCall

_ALPHANUMERIC = string.ascii_letters + string.digits


class ToolCallIds(msgspec.Struct, frozen=True):
    """One form of identifiers.

    new: returns an identifier for a call of this function that the model makes.
    conform: the identifier that a template takes for a call which the client names otherwise, given the
        client's, the function, and how many calls of the conversation come before it.
    pattern: a regular expression for the identifiers, where a template writes them into a call.
    """

    new: Callable[[str], str]
    conform: Callable[[str, str, int], str]
    pattern: str = r"[A-Za-z0-9_\-]{1,64}"


def new_tool_call_id() -> str:
    """`call_` and 24 hexadecimal digits, the form that OpenAI's clients know."""
    return f"call_{token_hex(12)}"


def _nine_of(text: str) -> str:
    """Return nine letters and digits drawn from a hash of the text."""
    number = int.from_bytes(hashlib.sha256(text.encode()).digest())
    return "".join(_ALPHANUMERIC[number // 62**at % 62] for at in range(9))


def _conform_to_nine(id: str, name: str, num_before: int) -> str:
    is_nine = len(id) == 9 and all(character in _ALPHANUMERIC for character in id)
    return id if is_nine else _nine_of(id)


# Any identifier is as good as another.
OPENAI_IDS = ToolCallIds(lambda name: new_tool_call_id(), lambda id, name, num_before: id)
# Mistral's templates refuse any but nine letters or digits.
MISTRAL_IDS = ToolCallIds(lambda name: _nine_of(token_hex(16)), _conform_to_nine, pattern="[A-Za-z0-9]{9}")
# Kimi's identifiers are how a call names its function, and are counted through the conversation.
KIMI_IDS = ToolCallIds(
    lambda name: new_tool_call_id(), lambda id, name, num_before: f"functions.{name}:{num_before}"
)


def with_conforming_ids(messages: Sequence[ChatMessage], ids: ToolCallIds) -> list[ChatMessage]:
    """Return the conversation with identifiers in the template's form, equal in a call and its result."""
    known: dict[str, str] = {}
    conforming = []
    num_calls = 0
    for message in messages:
        if not message.tool_calls and message.tool_call_id is None:
            conforming.append(message)
            continue
        calls: list[ToolCall] = []
        for call in message.tool_calls:
            known[call.id] = ids.conform(call.id, call.name, num_calls)
            calls.append(replace(call, id=known[call.id]))
            num_calls += 1
        answered = message.tool_call_id
        if answered is not None:
            name = message.name or ""
            answered = known[answered] if answered in known else ids.conform(answered, name, num_calls)
        conforming.append(replace(message, tool_calls=tuple(calls), tool_call_id=answered))
    return conforming
