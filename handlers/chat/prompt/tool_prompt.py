"""Tools for a model whose template has no place for them: a description in the prompt, and calls and
results as text.
"""

import json
from collections.abc import Sequence
from itertools import groupby

from msgspec.structs import replace

from handlers.chat.messages import ChatMessage
from handlers.chat.prompt.conversation import joined, template_tools
from handlers.chat.tool_calls.formats.registry import HERMES
from handlers.chat.tool_calls.tool_format import ToolFormat
from handlers.chat.tools import ToolDefinition

# The format that the prompt asks for where the model's own is unknown.
PROMPTED_FORMAT = HERMES
RESULT_TAGS = ("<tool_response>", "</tool_response>")


def describe_tools(
    messages: Sequence[ChatMessage], tools: Sequence[ToolDefinition], tool_format: ToolFormat
) -> list[ChatMessage]:
    """Return the conversation with the tools, and how to call them, described at its start.

    The description joins the system message or, since not all templates take one, the user's first.
    """
    first, *rest = messages
    described = _describe(tools, tool_format)
    match first.role:
        case "system" | "developer":
            return [replace(first, content=joined((first.content, described), "\n\n")), *rest]
        case "user":
            return [replace(first, content=joined((described, first.content), "\n\n")), *rest]
        case _:
            return [ChatMessage(role="user", content=described), first, *rest]


def write_out(messages: Sequence[ChatMessage], tool_format: ToolFormat) -> list[ChatMessage]:
    """Return the conversation with calls as the assistant's text, and adjacent results as one
    user message.
    """
    written: list[ChatMessage] = []
    for is_result, group in groupby(messages, lambda message: message.role == "tool"):
        together = list(group)
        if is_result:
            written.append(_results(together))
        else:
            written.extend(_with_calls_as_text(message, tool_format) for message in together)
    return written


def _results(messages: Sequence[ChatMessage]) -> ChatMessage:
    begin, end = RESULT_TAGS
    results = (joined((f"{begin}\n", message.content, f"\n{end}"), "") for message in messages)
    return ChatMessage(role="user", content=joined(results, "\n"))


def _with_calls_as_text(message: ChatMessage, tool_format: ToolFormat) -> ChatMessage:
    if not message.tool_calls:
        return message
    calls = tool_format.write_all(*((call.name, call.arguments) for call in message.tool_calls))
    return replace(message, content=joined((message.content, calls), "\n"), tool_calls=())


def _describe(tools: Sequence[ToolDefinition], tool_format: ToolFormat) -> str:
    functions = "\n".join(
        json.dumps(tool["function"], ensure_ascii=False, default=dict) for tool in template_tools(tools)
    )
    example = tool_format.write("function-name", '{"argument": "value"}')
    return (
        "You may call these functions, each given as JSON with a JSON Schema of its parameters:\n"
        f"{functions}\n\nTo call a function, answer with nothing but:\n{example}"
    )
