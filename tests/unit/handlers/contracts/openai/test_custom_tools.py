"""Custom tools in chat: their input is a text, in requests, answers, streams and earlier calls."""

import json
from typing import Any

import pytest

from engine.port.events import FinishReason
from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.handlers.contracts.openai.api import CALL, CHAT, MODEL, TOOL, Api

PATCH: dict[str, Any] = {"type": "custom", "custom": {"name": "patch", "description": "Changes files."}}
TEXT = '+ "hé"\n😀'
ARGUMENTS = json.dumps({"input": TEXT})
PATCH_CALL = f'<tool_call>\n{{"name": "patch", "arguments": {ARGUMENTS}}}\n</tool_call>'
BODY: dict[str, Any] = {"model": MODEL, "messages": [{"role": "user", "content": "Hi"}]}


def formed(syntax: str, definition: str) -> dict[str, Any]:
    grammar = {"type": "grammar", "grammar": {"syntax": syntax, "definition": definition}}
    return {"type": "custom", "custom": {"name": "patch", "format": grammar}}


def joined(chunks: list[Any]) -> list[dict[str, Any]]:
    """Return the calls of a stream, each as its pieces make it."""
    calls: list[dict[str, Any]] = []
    for chunk in chunks:
        for piece in chunk["choices"][0]["delta"].get("tool_calls", ()):
            if piece["index"] == len(calls):
                calls.append({"type": piece["type"], "name": "", "text": ""})
            part = piece.get("custom") or piece["function"]
            calls[piece["index"]]["name"] += part.get("name", "")
            calls[piece["index"]]["text"] += part.get("input", part.get("arguments", ""))
    return calls


@pytest.mark.parametrize("choice", [None, {"type": "custom", "custom": {"name": "patch"}}, "required", "any"])
async def test_a_custom_tools_call_has_its_input_as_text_whole_and_streamed(choice: object) -> None:
    api = Api(ScriptedEngine(says(*PATCH_CALL)))
    body = BODY | {"tools": [PATCH, TOOL], "tool_choice": choice}
    (told,) = (await api.answer(CHAT, body))["choices"]
    (call,) = told["message"]["tool_calls"]
    assert (call["type"], call["custom"]) == ("custom", {"name": "patch", "input": TEXT})
    assert told["finish_reason"] == "tool_calls"
    chunks = await api.chunks(CHAT, body)
    assert joined(chunks) == [{"type": "custom", "name": "patch", "text": TEXT}]
    assert sum("tool_calls" in chunk["choices"][0]["delta"] for chunk in chunks) > 5


async def test_calls_of_functions_and_custom_tools_keep_their_kinds_beside_each_other() -> None:
    api = Api(ScriptedEngine(says(CALL, "\n", *PATCH_CALL)))
    body = BODY | {"tools": [PATCH, TOOL]}
    calls = (await api.answer(CHAT, body))["choices"][0]["message"]["tool_calls"]
    assert [call["type"] for call in calls] == ["function", "custom"]
    assert [call["type"] for call in joined(await api.chunks(CHAT, body))] == ["function", "custom"]


async def test_an_input_that_is_cut_is_told_as_far_as_it_goes() -> None:
    cut = PATCH_CALL[: PATCH_CALL.index("\\u00e9")]
    api = Api(ScriptedEngine(says(*cut, finish=FinishReason.LENGTH)))
    (told,) = (await api.answer(CHAT, BODY | {"tools": [PATCH]}))["choices"]
    assert told["message"]["tool_calls"][0]["custom"]["input"] == '+ "h'
    assert joined(await api.chunks(CHAT, BODY | {"tools": [PATCH]}))[0]["text"] == '+ "h'


async def test_a_custom_tools_expression_or_grammar_binds_its_input() -> None:
    api = Api(ScriptedEngine(says(PATCH_CALL)))
    await api.answer(CHAT, BODY | {"tools": [formed("regex", "[a-z]+")]})
    grammar = api.engine.requests[-1].sampling.grammar
    assert grammar is not None and "^(?:[a-z]+)$" in grammar.source
    told = Api(ScriptedEngine(says(PATCH_CALL)))
    await told.answer(CHAT, BODY | {"tools": [formed("lark", "start: /x+/")]})
    assert "start: /x+/" in told.prompt
    grammar = told.engine.requests[-1].sampling.grammar
    assert grammar is not None and "rule_start ::= " in grammar.source
    refusal = await told.refusal(CHAT, BODY | {"tools": [formed("lark", "start: /^x/")]})
    assert (refusal.status, refusal.param) == (400, "tools[0].custom.format.grammar.definition")


async def test_the_grammars_of_all_tools_are_bounded_together() -> None:
    tools = [formed("regex", "a" * 40_000), formed("regex", "b" * 40_000)]
    refusal = await Api(ScriptedEngine(says("x"))).refusal(CHAT, BODY | {"tools": tools})
    assert (refusal.status, refusal.param) == (400, "tools[1].custom.format.grammar.definition")


async def test_allowed_tools_may_be_custom_and_names_are_shared_with_functions() -> None:
    api = Api(ScriptedEngine(says(PATCH_CALL)))
    allowed = {"mode": "required", "tools": [{"type": "custom", "custom": {"name": "patch"}}]}
    choice = {"type": "allowed_tools", "allowed_tools": allowed}
    await api.answer(CHAT, BODY | {"tools": [PATCH, TOOL], "tool_choice": choice})
    grammar = api.engine.requests[-1].sampling.grammar
    assert grammar is not None and '"patch' in grammar.source.replace("\\", "")
    assert '"add"' not in grammar.source.replace("\\", "")
    twice = {"type": "custom", "custom": {"name": "add"}}
    assert (await api.refusal(CHAT, BODY | {"tools": [TOOL, twice]})).param == "tools[1].custom.name"


async def test_an_earlier_call_and_its_result_are_those_of_the_function_that_stands_for_the_tool() -> None:
    api = Api(ScriptedEngine(says("Done.")))
    call = {"id": "c1", "type": "custom", "custom": {"name": "patch", "input": TEXT}}
    messages = [
        *BODY["messages"],
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "ok"},
    ]
    await api.answer(CHAT, BODY | {"messages": messages, "tools": [PATCH]})
    assert json.dumps({"input": TEXT}, ensure_ascii=False) in api.prompt
