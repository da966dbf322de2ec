"""`functions` and `function_call`, which `tools` and `tool_choice` replaced."""

from typing import Any

import pytest

from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.handlers.contracts.openai.api import CALL, CHAT, TOOL, Api, chat, prompt_of, quiet

ADD = TOOL["function"]


@pytest.mark.parametrize("choice", [None, "auto", {"name": "add"}])
async def test_the_answer_has_one_call_under_its_older_name_whole_and_streamed(choice: object) -> None:
    api = Api(ScriptedEngine(says(*CALL, "\n", CALL)))
    body = chat(functions=[ADD], function_call=choice)
    (told,) = (await api.answer(CHAT, body))["choices"]
    assert told["finish_reason"] == "function_call"
    assert told["message"]["function_call"] == {"name": "add", "arguments": '{"a": 1}'}
    assert told["message"]["content"] is None and "tool_calls" not in told["message"]
    chunks = [chunk["choices"][0] for chunk in await api.chunks(CHAT, body)]
    pieces = [chunk["delta"]["function_call"] for chunk in chunks if "function_call" in chunk["delta"]]
    assert [piece.get("name") for piece in pieces] == ["add", *[None] * (len(pieces) - 1)]
    assert "".join(piece["arguments"] for piece in pieces) == '{"a": 1}' and len(pieces) > 2
    assert chunks[-1]["finish_reason"] == "function_call"


async def test_without_a_call_the_answer_is_as_any() -> None:
    (told,) = (await Api(ScriptedEngine(says("Hi"))).answer(CHAT, chat(functions=[ADD])))["choices"]
    assert (told["finish_reason"], told["message"]["content"]) == ("stop", "Hi")
    assert "function_call" not in told["message"]


async def test_functions_and_earlier_calls_reach_the_prompt_as_tools_do() -> None:
    call = {"name": "add", "arguments": '{"a": 1}'}
    first = {"role": "user", "content": "Hi"}
    older: list[dict[str, Any]] = [
        first,
        {"role": "assistant", "content": None, "function_call": call},
        {"role": "function", "name": "add", "content": "2"},
    ]
    calls = [{"id": "c", "type": "function", "function": call}]
    newer: list[dict[str, Any]] = [
        first,
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c", "name": "add", "content": "2"},
    ]
    was = await prompt_of(chat(functions=[ADD]) | {"messages": older})
    assert was == await prompt_of(chat(tools=[TOOL]) | {"messages": newer})


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"function_call": "auto"}, "function_call"),
        ({"functions": [ADD], "tools": [TOOL]}, "tools"),
        ({"functions": [ADD], "tool_choice": "auto"}, "tool_choice"),
        ({"functions": [ADD, ADD]}, "functions[1].name"),
        ({"functions": [ADD], "function_call": {"name": "other"}}, "function_call"),
        ({"messages": [{"role": "function", "name": "add", "content": "2"}]}, "messages[0].name"),
    ],
)
async def test_older_fields_without_their_kind_or_with_the_newer_are_refused(
    fields: dict[str, Any], param: str
) -> None:
    refusal = await quiet().refusal(CHAT, chat() | fields)
    assert (refusal.status, refusal.param) == (400, param)
