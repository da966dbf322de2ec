"""Earlier calls of a conversation, for templates that show one call of a message alone."""

from collections import defaultdict
from collections.abc import Sequence

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
        begin = at
        while at < len(messages) and messages[at].role == "tool":
            at += 1
        turns.extend(_each_with_results(_thinking(message), messages[begin:at]))
    return turns


def _each_with_results(message: ChatMessage, results: Sequence[ChatMessage]) -> list[ChatMessage]:
    if len(message.tool_calls) == 1:
        return [message, *results]
    waiting: dict[str | None, list[int]] = defaultdict(list)  # the results that no call has yet, by its id
    for at, result in enumerate(results):
        waiting[result.tool_call_id].append(at)
    turns: list[ChatMessage] = []
    for number, call in enumerate(message.tool_calls):
        call_turn = message if number == 0 else replace(message, content=None, reasoning=None)
        turns += [replace(call_turn, tool_calls=(call,)), *(results[at] for at in waiting.pop(call.id, ()))]
    return turns + [results[at] for at in sorted(at for places in waiting.values() for at in places)]


def _thinking(message: ChatMessage) -> ChatMessage:
    content = message.content
    if isinstance(content, tuple):
        content = "".join(part.text for part in content if isinstance(part, TextPart))
    if not content or not message.reasoning:
        return message
    return replace(message, content=None, reasoning=message.reasoning + _BETWEEN + content)
