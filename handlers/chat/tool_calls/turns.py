"""Earlier calls of a conversation, for templates that show one call of a message alone."""

from collections.abc import Sequence
from itertools import takewhile

from msgspec.structs import replace

from handlers.chat.messages import ChatMessage, TextPart

_BETWEEN = "\n\n"


def one_call_each(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Return the conversation with one call in a message, its results after it.

    Words that come before a call join the thoughts, since such a template takes one of the two.
    """
    turns: list[ChatMessage] = []
    at = 0
    while at < len(messages):
        message = messages[at]
        at += 1
        if not message.tool_calls:
            turns.append(message)
            continue
        results = list(takewhile(lambda later: later.role == "tool", messages[at:]))
        at += len(results)
        turns.extend(_each_with_results(_thinking(message), results))
    return turns


def _each_with_results(message: ChatMessage, results: Sequence[ChatMessage]) -> list[ChatMessage]:
    if len(message.tool_calls) == 1:
        return [message, *results]
    turns: list[ChatMessage] = []
    answered: set[int] = set()
    for number, call in enumerate(message.tool_calls):
        own = [
            at for at, result in enumerate(results) if result.tool_call_id == call.id and at not in answered
        ]
        answered.update(own)
        said = message if number == 0 else replace(message, content=None, reasoning=None)
        turns += [replace(said, tool_calls=(call,)), *(results[at] for at in own)]
    return turns + [result for at, result in enumerate(results) if at not in answered]


def _thinking(message: ChatMessage) -> ChatMessage:
    content = message.content
    if isinstance(content, tuple):
        content = "".join(part.text for part in content if isinstance(part, TextPart))
    if not content or not message.reasoning:
        return message
    return replace(message, content=None, reasoning=message.reasoning + _BETWEEN + content)
