"""Tests what the model reads of a conversation, and what is refused."""

import time
from typing import Any

import pytest

from generated.anthropic import models as m
from handlers.contracts.anthropic.request.conversation import conversation as read_conversation
from tests.unit.handlers.contracts.anthropic.api import (
    RESULT,
    TOOL,
    USE,
    ask,
    assistant,
    conversation,
    prompt_of,
    quiet,
    text,
    user,
)


async def test_blocks_are_one_message_and_turns_of_one_role_are_one_turn() -> None:
    asked = {"role": "user", "content": "A question"}
    parts = user(text("A "), text("question"))
    assert await prompt_of(conversation(parts)) == await prompt_of(conversation(asked))
    apart = conversation(asked, {"role": "user", "content": "More."})
    together = conversation({"role": "user", "content": "A question\n\nMore."})
    assert await prompt_of(apart) == await prompt_of(together)


def test_thousands_of_turns_of_one_role_are_joined_once() -> None:
    """2 MB hold 8,000 of 200 characters, which took two seconds: all that came before was copied for each."""
    turns = [m.MessageParam(role="user", content=f"{number:0200}") for number in range(20_000)]
    started = time.process_time()
    (turn,) = read_conversation(None, turns)
    assert time.process_time() - started < 2
    assert isinstance(turn.content, str)
    assert turn.content.split("\n\n") == [f"{number:0200}" for number in range(20_000)]


@pytest.mark.parametrize("system", ["Be brief.", [text("Be "), text("brief.")]])
async def test_the_system_prompt_comes_first(system: object) -> None:
    prompt = await prompt_of(ask(system=system))
    assert prompt.index("Be brief.") < prompt.index("Hi")
    assert prompt == await prompt_of(
        conversation({"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"})
    )


async def test_the_assistants_last_words_are_continued() -> None:
    body = conversation({"role": "user", "content": "Who are you?"}, assistant(text("I"), text(" am")))
    assert (await prompt_of(body)).endswith("I am")


@pytest.mark.parametrize("empty", ["", []])
async def test_an_empty_beginning_is_none(empty: object) -> None:
    asked = {"role": "user", "content": "Who are you?"}
    body = conversation(asked, {"role": "assistant", "content": empty})
    assert await prompt_of(body) == await prompt_of(conversation(asked))


async def test_calls_and_results_are_told_as_the_template_tells_them() -> None:
    prompt = await prompt_of(
        conversation(user(text("Add")), assistant(USE), user(RESULT, text("And?")), tools=[TOOL])
    )
    assert '{"name": "add", "arguments": {"a": 1}}' in prompt
    assert "2" in prompt.partition('{"a": 1}}')[2].partition("And?")[0]


async def test_a_failed_tool_says_so() -> None:
    failed = {**RESULT, "content": [text("no "), text("way")], "is_error": True}
    prompt = await prompt_of(conversation(user(text("Add")), assistant(USE), user(failed), tools=[TOOL]))
    assert "Error: no way" in prompt


async def test_thoughts_of_the_same_turn_are_told_and_those_of_others_making_are_not() -> None:
    thoughts = {"type": "thinking", "thinking": "Hm-hm.", "signature": ""}
    redacted = {"type": "redacted_thinking", "data": "secret"}
    body = conversation(user(text("Add")), assistant(redacted, thoughts, USE), user(RESULT), tools=[TOOL])
    prompt = await prompt_of(body)
    assert "secret" not in prompt


async def test_documents_and_search_results_are_read_as_text() -> None:
    plain = {"type": "text", "media_type": "text/plain", "data": "Cats purr."}
    nested = {"type": "content", "content": [text("Dogs "), text("bark.")]}
    found = {"type": "search_result", "title": "Birds", "source": "http://b", "content": [text("They sing.")]}
    prompt = await prompt_of(
        conversation(
            user(
                {"type": "document", "source": plain, "title": "On cats", "context": "An essay"},
                {"type": "document", "source": nested},
                found,
                text("Which one?"),
            )
        )
    )
    said = "On cats\nAn essay\n\nCats purr.\n\nDogs bark.\n\nBirds\nhttp://b\n\nThey sing.\n\nWhich one?"
    assert said in prompt


async def test_examples_of_a_tools_input_are_told_with_its_description() -> None:
    tool = {**TOOL, "description": "Adds.", "input_examples": [{"a": 17}]}
    prompt = await prompt_of(ask(tools=[tool]))
    assert "Adds." in prompt and "17" in prompt


IMAGE = {"type": "image", "source": {"type": "url", "url": "http://a"}}
PDF = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": ""}}
CITED = {
    "type": "document",
    "source": {"type": "text", "media_type": "text/plain", "data": "a"},
    "citations": {"enabled": True},
}


@pytest.mark.parametrize(
    ("messages", "complaint"),
    [
        ([user()], "messages[0].content: must not be empty"),
        ([{"role": "user", "content": ""}], "messages[0].content: must not be empty"),
        ([user(text("a"), IMAGE)], "messages[0].content[1]: the model reads only text"),
        ([user(PDF)], "messages[0].content[0].source.type: PDF is not read here"),
        ([user(CITED)], "messages[0].content[0].citations.enabled: "),
        ([user({"type": "server_tool_use"})], "messages[0].content[0].type: server_tool_use is of tools"),
        ([user(USE)], "messages[0].content[0].type: a message of the role user cannot hold tool_use"),
        (
            [user(text("a")), assistant(RESULT)],
            "messages[1].content[0].type: a message of the role assistant",
        ),
        ([user(RESULT)], "messages[0].content[0].tool_use_id: no tool use"),
        ([user(text("a")), assistant(USE), user(RESULT, RESULT)], "messages[2].content[1].tool_use_id: "),
        ([user(text("a")), assistant(USE), user(text("b"))], "messages[2].content: the tool uses before it"),
        ([user(text("a")), assistant(USE, USE)], "messages[1].content[1].id: "),
        ([assistant()], "messages[0].content: must not be empty"),
        ([user(text("a")), assistant(), user(text("b"))], "messages[1].content: must not be empty"),
        (
            [user(text("a")), assistant(USE), user(text("b"), RESULT)],
            "messages[2].content[1]: a `tool_result`",
        ),
        ([user(text("a")), assistant(USE)], "messages[1].content: the last message"),
        ([user(text("a")), assistant(text("b "))], "messages[1].content: the text that is continued"),
        (
            [user(text("a")), assistant(USE), user({**RESULT, "content": [IMAGE]})],
            "messages[2].content[0].content[0]: the model reads only text",
        ),
        (
            [
                user(text("a")),
                assistant(USE),
                user({**RESULT, "content": [{"type": "browser_state", "tab": "a"}]}),
            ],
            "messages[2].content[0].content[0].type: browser_state",
        ),
    ],
)
async def test_what_cannot_be_read_is_refused_by_its_place(messages: list[Any], complaint: str) -> None:
    api = quiet()
    assert (await api.refusal(conversation(*messages, tools=[TOOL]))).startswith(complaint)
    assert not api.engine.requests
