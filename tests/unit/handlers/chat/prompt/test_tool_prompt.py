import pytest

from handlers.chat.messages import ChatMessage
from handlers.chat.prompt.tool_prompt import PROMPTED_FORMAT, describe_tools, write_out
from handlers.chat.tools import ToolCall, ToolDefinition

TOOL = ToolDefinition(name="get_weather", description="Tells the weather.")
SYSTEM = ChatMessage(role="system", content="Be brief.")
USER = ChatMessage(role="user", content="Hello")
ASSISTANT = ChatMessage(role="assistant", content="Hi.")


@pytest.mark.parametrize("system", [SYSTEM, ChatMessage(role="developer", content="Be brief.")])
def test_tools_are_told_after_the_system_message(system: ChatMessage) -> None:
    first, second = describe_tools([system, USER], [TOOL], PROMPTED_FORMAT)
    assert str(first.content).startswith("Be brief.\n\n") and "Tells the weather." in str(first.content)
    assert second == USER


def test_tools_are_told_before_the_users_first_words_where_there_is_no_system_message() -> None:
    [only] = describe_tools([USER], [TOOL], PROMPTED_FORMAT)
    assert only.role == "user"
    assert '"name": "get_weather"' in str(only.content) and str(only.content).endswith("\n\nHello")


def test_tools_are_told_in_a_message_of_their_own_before_an_assistants() -> None:
    first, second = describe_tools([ASSISTANT], [TOOL], PROMPTED_FORMAT)
    assert first.role == "user" and "get_weather" in str(first.content)
    assert second == ASSISTANT


def test_calls_and_their_results_become_words_in_turns_that_alternate() -> None:
    calls = (
        ToolCall(id="1", name="get_weather", arguments='{"city": "Oslo"}'),
        ToolCall(id="2", name="get_weather", arguments='{"city": "Rome"}'),
    )
    messages = [
        USER,
        ChatMessage(role="assistant", content="I look.", tool_calls=calls),
        ChatMessage(role="tool", content="12 °C", tool_call_id="1"),
        ChatMessage(role="tool", content="30 °C", tool_call_id="2"),
        ASSISTANT,
    ]
    written = write_out(messages, PROMPTED_FORMAT)
    assert [message.role for message in written] == ["user", "assistant", "user", "assistant"]
    assert written[1].content == (
        'I look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>\n'
        '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>'
    )
    assert written[1].tool_calls == ()
    assert written[2].content == (
        "<tool_response>\n12 °C\n</tool_response>\n<tool_response>\n30 °C\n</tool_response>"
    )


def test_a_conversation_without_tools_stays_as_it_is() -> None:
    assert write_out([SYSTEM, USER, ASSISTANT], PROMPTED_FORMAT) == [SYSTEM, USER, ASSISTANT]
