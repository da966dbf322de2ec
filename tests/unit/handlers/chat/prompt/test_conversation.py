import pytest

from handlers.chat.errors import InvalidMessage
from handlers.chat.messages import ChatMessage, TextPart, is_continuable
from handlers.chat.prompt.conversation import template_messages, template_tools
from handlers.chat.tools import ToolCall, ToolDefinition


def test_texts_of_a_message_are_joined() -> None:
    parts = (TextPart("Hel"), TextPart("lo"))
    assert template_messages([ChatMessage(role="user", content=parts)]) == [
        {"role": "user", "content": "Hello"}
    ]


def test_an_empty_conversation_is_refused() -> None:
    with pytest.raises(InvalidMessage):
        template_messages([])


def test_calls_and_results_have_the_shape_that_templates_read() -> None:
    call = ToolCall(id="call_1", name="get_weather", arguments='{"city": "Oslo"}')
    told = template_messages(
        [
            ChatMessage(role="assistant", tool_calls=(call,), reasoning="Look."),
            ChatMessage(role="tool", content="12 °C", tool_call_id="call_1", name="get_weather"),
        ]
    )
    function = {"name": "get_weather", "arguments": {"city": "Oslo"}}
    assert told == [
        {
            "role": "assistant",
            "content": "",
            "thinking": "Look.",
            "reasoning_content": "Look.",
            "tool_calls": [{"type": "function", "id": "call_1", "function": function}],
        },
        {"role": "tool", "content": "12 °C", "tool_call_id": "call_1", "name": "get_weather"},
    ]


@pytest.mark.parametrize("arguments", ['{"city": "Os', "[1]", "", "[" * 100_000])
def test_arguments_that_are_no_object_reach_the_template_as_they_are(arguments: str) -> None:
    call = ToolCall(id="call_1", name="f", arguments=arguments)
    [told] = template_messages([ChatMessage(role="assistant", tool_calls=(call,))])
    assert told["tool_calls"] == [
        {"type": "function", "id": "call_1", "function": {"name": "f", "arguments": arguments}}
    ]


def test_tools_have_the_shape_that_templates_read() -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    told = template_tools(
        [ToolDefinition(name="a", description="A.", parameters=schema, strict=True), ToolDefinition(name="b")]
    )
    assert told == [
        {"type": "function", "function": {"name": "a", "description": "A.", "parameters": schema}},
        {"type": "function", "function": {"name": "b", "parameters": {"type": "object", "properties": {}}}},
    ]


def test_only_words_of_the_assistant_at_the_end_can_be_continued() -> None:
    words = ChatMessage(role="assistant", content="Once")
    call = ToolCall(id="call_1", name="f", arguments="{}")
    assert is_continuable((ChatMessage(role="user", content="Go on."), words))
    for messages in [
        (),
        (words, ChatMessage(role="user", content="Hi")),
        (ChatMessage(role="assistant", content="Once", tool_calls=(call,)),),
        (ChatMessage(role="assistant"),),
    ]:
        assert not is_continuable(messages)
