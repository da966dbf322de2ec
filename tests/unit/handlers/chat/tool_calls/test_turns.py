"""One call in a message, for templates that show no more."""

import time

from handlers.chat.messages import ChatMessage
from handlers.chat.tool_calls.turns import one_call_each
from handlers.chat.tools import ToolCall


def calling(*ids: str) -> ChatMessage:
    calls = tuple(ToolCall(id=id, name="look", arguments="{}") for id in ids)
    return ChatMessage(role="assistant", content="", tool_calls=calls)


def results(*ids: str) -> list[ChatMessage]:
    return [ChatMessage(role="tool", content=f"{id}, {at}", tool_call_id=id) for at, id in enumerate(ids)]


def shown(messages: list[ChatMessage]) -> list[str]:
    """Return a call by its id and a result by its content."""
    return [message.tool_calls[0].id if message.tool_calls else str(message.content) for message in messages]


def test_each_call_is_followed_by_its_results_and_the_last_by_those_of_none() -> None:
    turns = one_call_each([calling("a", "b", "a"), *results("b", "x", "a", "a", "b"), calling("c")])
    assert shown(turns) == ["a", "a, 2", "a, 3", "b", "b, 0", "b, 4", "a", "x, 1", "c"]


def test_each_result_is_looked_for_once() -> None:
    """The 4,000 calls that a body can hold took half a second, and twice as many two."""
    ids = [f"call_{number}" for number in range(20_000)]
    started = time.process_time()
    turns = one_call_each([calling(*ids), *reversed(results(*ids))])
    assert time.process_time() - started < 2
    assert [turn.tool_call_id for turn in turns[1::2]] == ids
