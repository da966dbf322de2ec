"""Input items as the conversation that they tell."""

from typing import Any

import pytest

from engine.port.request import MediaKind
from generated.openai import models as m
from handlers.chat.messages import ChatMessage, FilePart, MediaPart, TextPart
from handlers.chat.tools import ToolCall
from handlers.contracts.openai.responses.request.conversation import Conversation
from verbatim_kit.errors import Refused

CALL: dict[str, Any] = {"type": "function_call", "call_id": "c0", "name": "add", "arguments": '{"a": 1}'}
OTHER_CALL = {**CALL, "call_id": "c1", "name": "sub"}
RESULT = {"type": "function_call_output", "call_id": "c0", "output": "2"}
ADD = ToolCall(id="c0", name="add", arguments='{"a": 1}')
SUB = ToolCall(id="c1", name="sub", arguments='{"a": 1}')


def conversation(*items: dict[str, Any], instructions: str | None = None) -> Conversation:
    body = m.CreateResponseRequest.model_validate({"model": "m", "input": list(items)})
    return Conversation(instructions, body.input)


def messages(*items: dict[str, Any]) -> tuple[ChatMessage, ...]:
    return conversation(*items).messages


def test_a_text_is_a_users_message_behind_the_instructions() -> None:
    assert Conversation("Be brief.", "Hi").messages == (
        ChatMessage(role="system", content="Be brief."),
        ChatMessage(role="user", content="Hi"),
    )


@pytest.mark.parametrize("role", ["user", "system", "developer", "assistant"])
@pytest.mark.parametrize("type_", [{}, {"type": "message"}])
def test_messages_keep_their_role_and_text_in_either_form(role: str, type_: dict[str, str]) -> None:
    assert messages({**type_, "role": role, "content": "Hi"}) == (ChatMessage(role=role, content="Hi"),)


def test_parts_are_texts_and_media() -> None:
    parts = [
        {"type": "input_text", "text": "See"},
        {"type": "input_image", "image_url": "data:image/png;base64,"},
        {"type": "input_file", "file_data": "aGk=", "filename": "a.txt"},
        {"type": "input_file", "file_url": "https://example.com/b"},
    ]
    (message,) = messages({"role": "user", "content": parts})
    assert message.content == (
        TextPart("See"),
        MediaPart(MediaKind.IMAGE, "data:image/png;base64,"),
        FilePart("data:;base64,aGk=", "a.txt"),
        FilePart("https://example.com/b"),
    )


def test_an_assistants_texts_and_refusals_are_its_words() -> None:
    parts = [
        {"type": "output_text", "text": "Hi", "annotations": [], "logprobs": []},
        {"type": "refusal", "refusal": "No"},
    ]
    item = {"type": "message", "id": "msg_0", "status": "completed", "role": "assistant", "content": parts}
    assert messages(item) == (ChatMessage(role="assistant", content=(TextPart("Hi"), TextPart("No"))),)


def test_what_the_model_thought_said_and_called_is_one_message() -> None:
    thoughts = {
        "type": "reasoning",
        "id": "rs",
        "summary": [],
        "content": [{"type": "reasoning_text", "text": "Hm"}],
    }
    words = {"role": "assistant", "content": "I add."}
    assert messages(thoughts, words, CALL, OTHER_CALL, RESULT) == (
        ChatMessage(role="assistant", reasoning="Hm", content="I add.", tool_calls=(ADD, SUB)),
        ChatMessage(role="tool", content="2", tool_call_id="c0", name="add"),
    )


def test_words_after_a_call_are_a_message_of_their_own() -> None:
    said = {"role": "assistant", "content": "Done."}
    assert messages(CALL, said) == (
        ChatMessage(role="assistant", tool_calls=(ADD,)),
        ChatMessage(role="assistant", content="Done."),
    )


def test_calls_on_both_sides_of_a_result_are_two_messages() -> None:
    roles = [message.role for message in messages(CALL, RESULT, OTHER_CALL)]
    assert roles == ["assistant", "tool", "assistant"]


def test_a_summary_stands_in_for_thoughts_that_are_not_told() -> None:
    summary = [{"type": "summary_text", "text": "One."}, {"type": "summary_text", "text": "Two."}]
    (message,) = messages({"type": "reasoning", "id": "rs", "summary": summary})
    assert message.reasoning == "One.\n\nTwo."


def test_a_result_may_be_of_parts() -> None:
    *_, message = messages(CALL, {**RESULT, "output": [{"type": "input_text", "text": "2"}]})
    assert message.content == (TextPart("2"),)


def test_a_result_without_its_call_is_refused_by_name() -> None:
    with pytest.raises(Refused) as refused:
        conversation({"role": "user", "content": "Hi"}, RESULT)
    assert refused.value.field == "input[1].call_id"


@pytest.mark.parametrize(
    ("told", "meant"),
    [
        ("messages", "input"),
        ("messages[0]", "instructions"),
        ("messages[0].content", "instructions"),
        ("messages[1].content[2]", "input[0].content[2]"),
        ("messages[2].content", "input[2].content"),
        ("messages[3].content[0]", "input[4].output[0]"),
        ("tools[1].parameters", "tools[1].parameters"),
    ],
)
def test_fields_are_named_as_the_request_has_them(told: str, meant: str) -> None:
    items: list[dict[str, Any]] = [
        {"role": "user", "content": "Hi"},
        {"type": "reasoning", "id": "rs", "summary": []},
        {"role": "assistant", "content": "I add."},
        CALL,
        RESULT,
    ]
    assert conversation(*items, instructions="Be brief.").field(told) == meant


def test_the_only_text_is_the_input() -> None:
    assert Conversation(None, "Hi").field("messages[0].content") == "input"
