"""Tools for a model whose template has no place for them: told in words, calls and results written as
text.
"""

import json
from collections.abc import Sequence
from itertools import groupby

from msgspec.structs import replace

from handlers.chat.conversation import flatten, template_tools
from handlers.chat.messages import ChatMessage
from handlers.chat.tool_formats.hermes import HERMES
from handlers.chat.tools import ToolDefinition

# What such a model is asked to write, and how it is shown its earlier calls.
PROMPTED_FORMAT = HERMES


def tell_of_tools(messages: Sequence[ChatMessage], tools: Sequence[ToolDefinition]) -> list[ChatMessage]:
    """The conversation in words alone, with the tools described at its start.

    The description joins the system message or, since not all templates take one, the user's first.
    """
    first, *rest = write_out(messages)
    text = flatten(first.content, "messages[0].content")
    match first.role:
        case "system" | "developer":
            return [replace(first, content="\n\n".join(filter(None, (text, _describe(tools))))), *rest]
        case "user":
            return [replace(first, content="\n\n".join(filter(None, (_describe(tools), text)))), *rest]
        case _:
            return [ChatMessage(role="user", content=_describe(tools)), first, *rest]


def write_out(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Calls as words of the assistant's; results that follow one another as one message of the user's."""
    written: list[ChatMessage] = []
    for is_result, group in groupby(messages, lambda message: message.role == "tool"):
        together = list(group)
        written.extend([_results(together)] if is_result else map(_with_calls_as_text, together))
    return written


def _results(messages: Sequence[ChatMessage]) -> ChatMessage:
    texts = (flatten(message.content, "messages") for message in messages)
    return ChatMessage(
        role="user", content="\n".join(f"<tool_response>\n{text}\n</tool_response>" for text in texts)
    )


def _with_calls_as_text(message: ChatMessage) -> ChatMessage:
    if not message.tool_calls:
        return message
    calls = (PROMPTED_FORMAT.write(call.name, call.arguments) for call in message.tool_calls)
    texts = [flatten(message.content, "messages"), *calls]
    return replace(message, content="\n".join(filter(None, texts)), tool_calls=())


def _describe(tools: Sequence[ToolDefinition]) -> str:
    functions = "\n".join(
        json.dumps(tool["function"], ensure_ascii=False, default=dict) for tool in template_tools(tools)
    )
    example = PROMPTED_FORMAT.write("function-name", '{"argument": "value"}')
    return (
        "You may call these functions, each given as JSON with a JSON Schema of its parameters:\n"
        f"{functions}\n\nTo call a function, answer with nothing but:\n{example}"
    )
