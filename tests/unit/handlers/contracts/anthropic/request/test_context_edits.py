"""Conversations that the server shortens at their client's wish."""

from typing import Any

import pytest

from tests.support.scripted.engine import says
from tests.unit.handlers.contracts.anthropic.api import (
    COUNT,
    TOOL,
    Api,
    ask,
    assistant,
    conversation,
    quiet,
    text,
    user,
)

THINK = {"type": "clear_thinking_20251015"}
CLEAR = {"type": "clear_tool_uses_20250919"}
NOW = {"trigger": {"type": "tool_uses", "value": 0}}


def use(number: int, name: str = "add") -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": {"a": 1000 + number}}


def result(number: int) -> dict[str, Any]:
    content = f"result {number}: {'long ' * 12}"
    return {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": content}


def uses(*names: str, **fields: Any) -> dict[str, Any]:
    """A conversation in which the assistant has used these tools."""
    messages: list[dict[str, Any]] = [user(text("Hi"))]
    for number, name in enumerate(names):
        messages += [assistant(use(number, name)), user(result(number))]
    return conversation(*messages, tools=[TOOL], **fields)


def thought(words: str) -> dict[str, Any]:
    return {"type": "thinking", "thinking": words, "signature": "s"}


def edited(*edits: dict[str, Any]) -> dict[str, Any]:
    return {"context_management": {"edits": list(edits)}}


def without_bound(body: dict[str, Any]) -> dict[str, Any]:
    """The same conversation as it is counted."""
    return {name: value for name, value in body.items() if name != "max_tokens"}


async def applied(body: dict[str, Any]) -> Any:
    """The edits that a whole answer names; a stream's end names the same."""
    api = quiet()
    whole = (await api.answer(body))["context_management"]["applied_edits"]
    (end,) = [event for event in await api.events(body) if event["type"] == "message_delta"]
    assert end["context_management"]["applied_edits"] == whole
    return whole


async def test_an_answer_names_no_edits_unless_it_is_asked_for_them() -> None:
    assert "context_management" not in await quiet().answer(ask())
    assert "context_management" not in await quiet().answer(ask(context_management=None))
    assert "context_management" not in await quiet().answer(without_bound(ask()), COUNT)
    assert await applied(ask(context_management={})) == []


@pytest.mark.parametrize(
    ("keep", "cleared"),
    [
        ({}, ["one"]),
        ({"keep": "all"}, []),
        ({"keep": {"type": "all"}}, []),
        ({"keep": {"type": "thinking_turns", "value": 1}}, ["one"]),
        ({"keep": {"type": "thinking_turns", "value": 2}}, []),
    ],
)
async def test_only_the_newest_turns_keep_their_thoughts(keep: dict[str, Any], cleared: list[str]) -> None:
    """The demo model's template drops thoughts of earlier rounds, so this one shows all."""
    template = (
        "{% for m in messages %}<|im_start|>{{ m.role }} {{ m.reasoning_content or '' }} {{ m.content }}"
        "{% endfor %}<|im_start|>assistant"
    )
    api = Api(says("x"), chat_template=template)
    body = conversation(
        user(text("a")),
        assistant(thought("one"), use(0)),
        user(result(0)),
        assistant(text("b")),
        user(text("c")),
        assistant(thought("two"), text("d")),
        user(text("e")),
        **edited({**THINK, **keep}),
    )
    edits = (await api.answer(body))["context_management"]["applied_edits"]
    assert [words for words in ("one", "two") if words not in api.prompt] == cleared
    assert [edit["cleared_thinking_turns"] for edit in edits] == [1] * len(cleared)
    assert all(edit["type"] == THINK["type"] and edit["cleared_input_tokens"] > 0 for edit in edits)


@pytest.mark.parametrize(
    ("options", "left"),
    [
        (NOW, [2, 3, 4]),
        ({}, [0, 1, 2, 3, 4]),  # far from 100,000 tokens
        ({"trigger": {"type": "tool_uses", "value": 5}}, [0, 1, 2, 3, 4]),
        ({"trigger": {"type": "tool_uses", "value": 4}}, [2, 3, 4]),
        ({"trigger": {"type": "input_tokens", "value": 10}}, [2, 3, 4]),
        ({"trigger": {"type": "input_tokens", "value": 900}}, [0, 1, 2, 3, 4]),
        ({**NOW, "keep": {"type": "tool_uses", "value": 1}}, [4]),
        ({**NOW, "keep": {"type": "tool_uses", "value": 0}}, []),
        ({**NOW, "exclude_tools": ["add"]}, [0, 2, 3, 4]),
        ({**NOW, "clear_at_least": {"type": "input_tokens", "value": 900}}, [0, 1, 2, 3, 4]),
        ({**NOW, "clear_at_least": {"type": "input_tokens", "value": 1}}, [2, 3, 4]),
    ],
)
async def test_older_results_of_tools_are_left_out(options: dict[str, Any], left: list[int]) -> None:
    api = quiet()
    body = uses("add", "sub", "add", "add", "add", **edited({**CLEAR, **options}))
    edits = (await api.answer(body))["context_management"]["applied_edits"]
    assert [number for number in range(5) if f"result {number}" in api.prompt] == left
    assert [edit["cleared_tool_uses"] for edit in edits] == ([5 - len(left)] if len(left) < 5 else [])
    assert [number for number in range(5) if str(1000 + number) in api.prompt] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("inputs", "left"), [(True, [2, 3, 4]), (["sub"], [0, 2, 3, 4]), (False, [0, 1, 2, 3, 4])]
)
async def test_what_older_uses_were_given_is_left_out_too(inputs: object, left: list[int]) -> None:
    api = quiet()
    edit = {**CLEAR, **NOW, "clear_tool_inputs": inputs}
    await api.answer(uses("add", "sub", "add", "add", "add", **edited(edit)))
    assert [number for number in range(5) if str(1000 + number) in api.prompt] == left


async def test_the_tokens_that_an_edit_saves_are_those_that_the_prompt_lacks() -> None:
    api = quiet()
    names = ("add", "add", "add", "add", "add")
    plain = (await api.answer(without_bound(uses(*names)), COUNT))["input_tokens"]
    body = uses(*names, **edited({**CLEAR, **NOW}))
    (edit,) = await applied(body)
    counted = await api.answer(without_bound(body), COUNT)
    assert counted["context_management"] == {"original_input_tokens": plain}
    assert plain - counted["input_tokens"] == edit["cleared_input_tokens"] > 0


async def test_an_edit_makes_a_conversation_fit_that_does_not_fit_without() -> None:
    long = {**result(0), "content": "long " * 30_000}
    rest = (assistant(use(1)), user(result(1)))
    body = conversation(user(text("Hi")), assistant(use(0)), user(long), *rest, tools=[TOOL])
    api = quiet()
    assert (await api.refusal(body)).startswith("prompt is too long: ")
    edit = {
        **CLEAR,
        "keep": {"type": "tool_uses", "value": 1},
        "trigger": {"type": "input_tokens", "value": 500},
    }
    (one,) = await applied({**body, **edited(edit)})
    assert one["cleared_tool_uses"] == 1


async def test_a_summary_is_refused_where_one_would_have_to_be_written() -> None:
    edit = {"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 5}}
    complaint = await quiet().refusal(ask(**edited(THINK, edit)))
    assert complaint.startswith("context_management.edits[1]: the prompt has ")
    assert await applied(ask(**edited({"type": "compact_20260112"}))) == []


async def test_an_unknown_edit_is_refused_by_its_place() -> None:
    complaint = await quiet().refusal(ask(**edited({"type": "clear_all"})))
    assert complaint.startswith("context_management.edits[0].type: must be ")
