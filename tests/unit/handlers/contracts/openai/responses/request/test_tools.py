"""Tools of every type that a request for a response may hold, and the calls of those that are offered."""

from typing import Any

import pytest

from engine.port.events import FinishReason
from handlers.contracts.openai.custom_tool import CustomInput
from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.handlers.contracts.openai.responses.test_responses import (
    HOSTED,
    NAMESPACE,
    PATCH,
    TOOL,
    Responses,
    without_identity,
)

PATCH_CALL = (
    '<tool_call>\n{"name": "apply_patch", "arguments": {"input": "+ \\"h\\u00e9\\"\\n"}}\n</tool_call>'
)
NAMESPACED_CALL = '<tool_call>\n{"name": "maths__add", "arguments": {"a": 1}}\n</tool_call>'


def grammar_of(api: Responses) -> str:
    grammar = api.engine.request.sampling.grammar
    assert grammar is not None
    return grammar.source


async def test_a_tool_that_nothing_here_runs_is_not_offered() -> None:
    api = Responses(says("Hi"))
    answer = await api.answered(tools=[*HOSTED, TOOL])
    assert "web_search" not in api.prompt and '"add"' in api.prompt
    assert [tool["type"] for tool in answer["tools"]] == ["web_search", "image_generation", "function"]


async def test_tools_of_which_none_is_offered_are_as_none() -> None:
    api = Responses(says("Hi"))
    await api.answered(tools=HOSTED)
    assert api.engine.request.sampling.grammar is None


async def test_an_allowed_tool_that_nothing_here_runs_is_passed_over() -> None:
    api = Responses(says("Hi"))
    allowed = [{"type": "image_generation"}, {"type": "function", "name": "add"}]
    await api.answered(
        tools=[TOOL, {**TOOL, "name": "sub"}],
        tool_choice={"type": "allowed_tools", "mode": "auto", "tools": allowed},
    )
    assert "add" in grammar_of(api) and "sub" not in grammar_of(api)


async def test_a_call_of_a_namespace_has_both_its_names() -> None:
    api = Responses(says(NAMESPACED_CALL))
    answer = await api.answered(tools=[NAMESPACE])
    (call,) = answer["output"]
    assert (call["type"], call["namespace"], call["name"]) == ("function_call", "maths", "add")
    assert call["arguments"] == '{"a": 1}'
    assert '"maths__add"' in api.prompt and "Sums." in api.prompt


async def test_a_call_outside_of_a_namespace_does_not_tell_of_one() -> None:
    call = '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>'
    answer = await Responses(says(call)).answered(tools=[TOOL])
    assert "namespace" not in answer["output"][0]


async def test_a_tool_of_a_namespace_can_be_chosen_by_its_own_name() -> None:
    api = Responses(says(NAMESPACED_CALL))
    await api.answered(
        tools=[TOOL | {"name": "sub"}, NAMESPACE], tool_choice={"type": "function", "name": "add"}
    )
    assert "maths__add" in grammar_of(api) and "sub" not in grammar_of(api)


async def test_tools_of_the_input_are_offered_as_those_of_the_request() -> None:
    api = Responses(says(NAMESPACED_CALL))
    items = [
        {"type": "additional_tools", "role": "developer", "tools": [NAMESPACE]},
        {"role": "user", "content": "Hi"},
    ]
    answer = await api.answered(input=items)
    assert answer["output"][0]["namespace"] == "maths"
    refused = await api.refused(input=items, tools=[NAMESPACE])
    assert refused.param == "input[0].tools[0].tools[0].name"


async def test_a_custom_tools_call_has_its_input_as_text() -> None:
    api = Responses(says(PATCH_CALL))
    answer = await api.answered(tools=[PATCH], tool_choice={"type": "custom", "name": "apply_patch"})
    (call,) = answer["output"]
    assert (call["type"], call["name"], call["input"]) == ("custom_tool_call", "apply_patch", '+ "hé"\n')
    assert call["id"].startswith("ctc_") and call["call_id"] and call["status"] == "completed"


async def test_a_custom_tools_expression_or_grammar_binds_its_input() -> None:
    api, other = Responses(says(PATCH_CALL)), Responses(says(PATCH_CALL))
    regex = {"type": "grammar", "syntax": "regex", "definition": "[a-z]+"}
    await other.answered(tools=[{**PATCH, "format": regex}])
    assert "^(?:[a-z]+)$" in grammar_of(other)
    lark = {"type": "grammar", "syntax": "lark", "definition": "start: /x+/"}
    await api.answered(tools=[{**PATCH, "format": lark}])
    assert "start: /x+/" in api.prompt and "rule_start ::= " in grammar_of(api)
    refused = await api.refused(tools=[{**PATCH, "format": {**lark, "definition": "start: /^x/"}}])
    assert refused.param == "tools[0].format.definition"


async def test_only_a_tool_that_does_not_say_strict_may_be_loosened() -> None:
    for strict, may_be_loosened in ((None, True), (True, False)):
        api = Responses(says("Hi"))
        await api.answered(tools=[{**TOOL, "strict": strict}])
        assert ('"otherwise"' in grammar_of(api)) is may_be_loosened


async def test_events_and_the_final_answer_have_the_same_items() -> None:
    engine = ScriptedEngine(says("I add.", *PATCH_CALL, "\n", NAMESPACED_CALL))
    tools = [PATCH, NAMESPACE]
    events = await Responses(engine).streamed(tools=tools)
    done = [event["item"] for event in events if event["type"] == "response.output_item.done"]
    added = [event["item"] for event in events if event["type"] == "response.output_item.added"]
    output = events[-1]["response"]["output"]
    assert done == output
    assert [item["id"] for item in added] == [item["id"] for item in output]
    assert [item["type"] for item in output] == ["message", "custom_tool_call", "function_call"]
    pieces = [event for event in events if event["type"] == "response.custom_tool_call_input.delta"]
    assert len(pieces) > 1 and {piece["item_id"] for piece in pieces} == {output[1]["id"]}
    assert "".join(piece["delta"] for piece in pieces) == output[1]["input"]
    whole = await Responses(engine).answered(tools=tools)
    assert without_identity(events[-1]["response"]) == without_identity(whole)


async def test_an_input_that_is_cut_is_told_as_far_as_it_goes() -> None:
    cut = PATCH_CALL[: PATCH_CALL.index("\\u00e9")]
    answer = await Responses(says(*cut, finish=FinishReason.LENGTH)).answered(tools=[PATCH])
    (call,) = answer["output"]
    assert (call["status"], call["input"]) == ("incomplete", '+ "h')


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ('{"input": "a\\\\b\\n\\ud83d\\ude00"}', "a\\b\n😀"),
        ('{ "input" : "" }', ""),
        ('{"input": "\\ud83d!"}', "\ufffd!"),
        ('{"patch": "a"}', '{"patch": "a"}'),
    ],
)
def test_an_input_is_the_same_by_characters_as_whole(arguments: str, text: str) -> None:
    for pieces in ([arguments], list(arguments)):
        reader = CustomInput()
        assert "".join(map(reader.feed, pieces)) + reader.end(is_cut=False) == text


async def test_earlier_calls_of_every_kind_are_calls_of_the_functions_that_stand_for_them() -> None:
    items: list[dict[str, Any]] = [
        {"role": "user", "content": "Hi"},
        {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "gAAA"},
        {"type": "function_call", "call_id": "1", "namespace": "maths", "name": "add", "arguments": "{}"},
        {"type": "custom_tool_call", "call_id": "2", "name": "apply_patch", "input": '"+"'},
        {
            "type": "local_shell_call",
            "id": "lsh",
            "call_id": "3",
            "status": "completed",
            "action": {"type": "exec", "command": ["ls"], "env": {}},
        },
        {"type": "web_search_call", "id": "ws", "status": "completed", "action": {"type": "search"}},
        {"type": "function_call_output", "call_id": "1", "output": [{"type": "input_text", "text": "one"}]},
        {"type": "custom_tool_call_output", "call_id": "2", "output": "two"},
        {"type": "local_shell_call_output", "id": "3", "output": "three"},
        {"type": "function_call", "call_id": "4", "name": "add", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "4", "output": "four"},
    ]
    api = Responses(ScriptedEngine(says("Hi"), max_total_tokens=2000))
    await api.answered(input=items, tools=[NAMESPACE, PATCH])
    for text in (
        '"name": "maths__add", "arguments": {}',
        '"name": "apply_patch", "arguments": {"input": "\\"+\\""}',
        '"name": "local_shell", "arguments": {"type": "exec", "command": ["ls"], "env": {}}',
        *("one", "two", "three", "four"),
    ):
        assert text in api.prompt
    assert "search" not in api.prompt.partition("<|im_start|>user")[2]
