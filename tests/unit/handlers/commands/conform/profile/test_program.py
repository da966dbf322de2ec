"""The profiles as they ship: what each program sends can be sent, and is judged by schemas that exist."""

import json
from importlib.resources import files
from typing import Any

import jsonschema_rs
import pytest

from handlers.commands.conform.profile.adapting import NUM_TOKENS, adapted, tool_names, with_forced_tool
from handlers.commands.conform.profile.apis import APIS
from handlers.commands.conform.profile.program import Program, load_profile

PROGRAMS = load_profile("agents")
SETS = {
    file.name.removesuffix(".json"): json.loads(file.read_text("utf-8"))
    for file in files("handlers.commands.conform.profile.schema_sets").iterdir()
    if file.name.endswith(".json")
}


def test_the_profile_has_agents_frameworks_and_benchmarks() -> None:
    assert {"claude_code", "codex", "ai_sdk", "guidellm", "aiperf"} <= {one.id for one in PROGRAMS}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.id)
def test_a_programs_answers_are_judged(program: Program) -> None:
    assert program.title
    assert set(program.schemas) <= set(SETS)
    routes = {turn.route for turn in program.turns}
    assert any(turn.status == 200 for turn in program.turns)
    assert routes & set(SETS["common"]), "none of its paths has a schema"
    assert len({turn.what for turn in program.turns}) == len(program.turns)


def test_a_member_that_repeats_is_that_of_the_earlier_exchange() -> None:
    (program,) = (one for one in PROGRAMS if one.id == "opencode_chat")
    first, last = (one.body for one in program.turns[1:])
    assert len(tool_names(last)) == 10 and last["tools"] == first["tools"]
    assert len(last["messages"]) > len(first["messages"])


@pytest.mark.parametrize("name", SETS)
def test_a_set_has_schemas_and_says_why_they_matter(name: str) -> None:
    routes = {route: parts for route, parts in SETS[name].items() if route.startswith("/")}
    assert routes and SETS[name]["why"]
    for parts in routes.values():
        assert set(parts) <= {"whole", "event"}
        for schema in parts.values():
            jsonschema_rs.meta.validate({**schema, "$defs": SETS[name].get("$defs", {})})


def test_every_api_has_a_schema_on_whose_members_it_relies() -> None:
    assert all({"whole", "event"} <= set(SETS["common"][route]) for route in APIS)


@pytest.mark.parametrize(
    ("route", "body", "expected"),
    [
        ("/v1/chat/completions", {"max_completion_tokens": 9000}, {"max_completion_tokens": NUM_TOKENS}),
        ("/v1/chat/completions", {"max_tokens": 8}, {"max_tokens": 8}),
        ("/v1/chat/completions", {}, {"max_tokens": NUM_TOKENS}),
        ("/v1/responses", {}, {"max_output_tokens": NUM_TOKENS}),
        ("/v1/messages/count_tokens", {}, {}),
        (
            "/v1/messages",
            {"max_tokens": 9000, "thinking": {"type": "enabled", "budget_tokens": 2000}},
            {"max_tokens": 2000 + NUM_TOKENS, "thinking": {"type": "enabled", "budget_tokens": 2000}},
        ),
    ],
)
def test_an_answer_is_short(route: str, body: dict[str, Any], expected: dict[str, Any]) -> None:
    assert adapted(route, {"model": "a", **body}, "small") == {"model": "small", **expected}


def test_only_functions_can_be_required() -> None:
    hosted = {"tools": [{"type": "web_search"}, {"name": "x", "input_schema": {}, "defer_loading": True}]}
    assert with_forced_tool("/v1/responses", hosted) is None
    nested = {"tools": [{"type": "namespace", "name": "n", "tools": [{"type": "function", "name": "f"}]}]}
    assert tool_names(nested) == ["f"]
    assert with_forced_tool("/v1/responses", nested) == {**nested, "tool_choice": "required"}
    assert with_forced_tool("/v1/completions", nested) is None


def test_a_body_with_a_format_is_not_asked_for_a_call() -> None:
    tools = [{"name": "x", "input_schema": {}}]
    body = {"tools": tools, "output_config": {"format": {"type": "json_schema", "schema": {}}}}
    assert with_forced_tool("/v1/messages", body) is None
    assert with_forced_tool("/v1/messages", {"tools": tools, "thinking": {"type": "adaptive"}}) == {
        "tools": tools,
        "tool_choice": {"type": "any"},
    }
