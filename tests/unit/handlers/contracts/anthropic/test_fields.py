"""Tests what each field asks of the engine, and what is refused."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from engine.port.info.capabilities import Capabilities
from engine.port.request import GenerationRequest, GrammarKind
from tests.support.scripted.engine import says
from tests.unit.handlers.contracts.anthropic.api import (
    COUNT,
    MESSAGES,
    RESULT,
    TOOL,
    USE,
    Api,
    ask,
    assistant,
    conversation,
    quiet,
    text,
    user,
)


async def submitted(**fields: Any) -> Any:
    """Return the request that the engine gets."""
    api = quiet()
    await api.answer(ask(**fields))
    return api.engine.request


async def test_sampling_is_the_documents() -> None:
    sampling = (await submitted()).sampling
    assert (sampling.temperature, sampling.top_k, sampling.top_p) == (1.0, None, 1.0)
    sampling = (await submitted(temperature=0.5, top_k=3, top_p=0.25)).sampling
    assert (sampling.temperature, sampling.top_k, sampling.top_p) == (0.5, 3, 0.25)
    assert 0 < (await submitted(top_p=0)).sampling.top_p < 1e-6
    assert (await submitted(top_k=0)).sampling.top_k is None


async def test_a_schema_binds_the_answer() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    grammar = (
        await submitted(output_config={"format": {"type": "json_schema", "schema": schema}})
    ).sampling.grammar
    assert grammar is not None
    assert json.dumps(schema) in grammar.source


async def test_a_schema_binds_whole_answers_alone() -> None:
    form = {"format": {"type": "json_schema", "schema": {"type": "object"}}}
    asked, begun = {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "{"}
    complaint = await quiet().refusal(conversation(asked, begun, output_config=form))
    assert complaint.startswith("output_config.format: the form binds a whole answer")


@pytest.mark.parametrize(
    ("choice", "is_bound"),
    [({"type": "auto"}, False), ({"type": "any"}, True), ({"type": "tool", "name": "add"}, True)],
)
async def test_a_demanded_tool_binds_the_answer(choice: dict[str, Any], is_bound: bool) -> None:
    grammar = (await submitted(tools=[TOOL], tool_choice=choice)).sampling.grammar
    assert grammar is not None and grammar.kind is GrammarKind.STRUCTURAL_TAG
    assert ('"at_least_one": true' in grammar.source or '"triggered_tags"' not in grammar.source) is is_bound


async def test_one_tool_at_most_where_the_client_says_so() -> None:
    many = (await submitted(tools=[TOOL], tool_choice={"type": "any"})).sampling.grammar
    one = (
        await submitted(tools=[TOOL], tool_choice={"type": "any", "disable_parallel_tool_use": True})
    ).sampling.grammar
    assert many != one


@pytest.mark.parametrize(
    ("thinking", "is_open"),
    [(None, False), ({"type": "disabled"}, False), ({"type": "adaptive"}, True)],
)
async def test_thinking_is_what_the_template_is_told(thinking: object, is_open: bool) -> None:
    api = quiet()
    await api.answer(ask() if thinking is None else ask(thinking=thinking))
    assert api.prompt.endswith("</think>\n\n") is not is_open


@pytest.mark.parametrize(
    "fields",
    [
        {"cache_control": {"type": "ephemeral", "ttl": "1h"}},
        {"metadata": {"user_id": "somebody"}},
        {"service_tier": "standard_only"},
        {"speed": "standard"},
        {"speed": "fast"},
        {"container": None, "diagnostics": None, "inference_geo": None},
        {"diagnostics": {"previous_message_id": None}},
        {"fallbacks": [{"model": "claude-sonnet-5"}], "fallback_credit_token": "a"},
        {"fallbacks": "default"},
        {"context_hint": {"enabled": True, "target_tokens_saved": 20000}},
        {"context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]}},
        {"cache_control": {"type": "ephemeral", "scope": "global"}},
        {"output_config": {"effort": "low"}},
        {"output_config": {"task_budget": {"type": "tokens", "total": 64000, "remaining": 100}}},
    ],
)
async def test_what_has_no_effect_is_taken(fields: dict[str, Any]) -> None:
    assert await asked_of_the_engine(**fields) == await asked_of_the_engine()


async def test_a_mark_of_what_to_cache_has_no_effect() -> None:
    marked = [{"type": "text", "text": "Hi", "cache_control": {"type": "ephemeral"}}]
    assert await asked_of_the_engine(system=marked) == await asked_of_the_engine(system="Hi")


@pytest.mark.parametrize(
    "kind",
    [
        "bash_20250124",
        "code_execution_20990101",
        "computer_20250124",
        "memory_20250818",
        "text_editor_20250728",
        "tool_search_tool_regex",
        "web_search_20250305",
    ],
)
async def test_the_model_is_not_told_of_tools_of_anthropics(kind: str) -> None:
    hosted = {"type": kind, "name": "hosted", "max_uses": 8, "cache_control": {"type": "ephemeral"}}
    assert await asked_of_the_engine(tools=[hosted]) == await asked_of_the_engine()
    assert await asked_of_the_engine(tools=[hosted, TOOL]) == await asked_of_the_engine(tools=[TOOL])


OTHER = {**TOOL, "name": "other", "defer_loading": True}
SEARCH = {"type": "tool_search_tool_bm25_20251119", "name": "search"}


@pytest.mark.parametrize(
    ("fields", "is_told"),
    [
        ({"tools": [TOOL, OTHER]}, False),
        ({"tools": [TOOL, OTHER], "tool_choice": {"type": "tool", "name": "other"}}, True),
        ({"tools": [OTHER]}, True),
        ({"tools": [TOOL, OTHER, SEARCH]}, True),
    ],
)
async def test_the_model_is_told_of_a_deferred_tool_that_it_cannot_find_or_that_is_chosen(
    fields: dict[str, Any], is_told: bool
) -> None:
    api = quiet()
    await api.answer(ask(**fields))
    assert ('"other"' in api.prompt) is is_told


async def test_the_model_is_told_of_a_deferred_tool_once_a_search_of_the_clients_has_found_it() -> None:
    api = quiet()
    reference = {"type": "tool_reference", "tool_name": "other"}
    found = user({**RESULT, "content": [reference]})
    await api.answer(conversation(user(text("Hi")), assistant(USE), found, tools=[TOOL, OTHER]))
    assert '"other"' in api.prompt and "The tool other can be used from now on." in api.prompt


async def asked_of_the_engine(**fields: Any) -> GenerationRequest:
    """A request without what differs between two alike."""
    request: GenerationRequest = await submitted(**fields)
    return replace(request, request_id="", sampling=replace(request.sampling, seed=0))


BASH = {"type": "bash_20250124", "name": "bash"}
BUDGET = {"type": "enabled", "budget_tokens": 1024}


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"unknown": 1}, "unknown: is not a field of this object"),
        ({"container": "a"}, "container: is not supported by this server"),
        ({"speed": "slow"}, "speed: must be 'standard'"),
        ({"temperature": 1.1}, "temperature: must be less than or equal to 1"),
        ({"max_tokens": None}, "max_tokens: must be an integer"),
        ({"max_tokens": -1}, "max_tokens: must be greater than or equal to 0"),
        ({"stop_sequences": [""]}, "stop_sequences[0]: must have at least 1 character"),
        ({"thinking": BUDGET, "max_tokens": 1024}, "thinking.budget_tokens: must be less than `max_tokens`"),
        ({"thinking": {**BUDGET, "budget_tokens": 1023}}, "thinking.budget_tokens: must be greater than"),
        ({"thinking": {"type": "between_tools"}}, "thinking.type: must be "),
        ({"tools": [{"type": "bash", "name": "a"}]}, "tools[0].type: must match the pattern"),
        ({"tools": [{"name": "a"}]}, "tools[0]: must have one of input_schema or type"),
        ({"tools": [{"type": "custom", "name": "a"}]}, "tools[0].input_schema: is missing"),
        (
            {"tools": [TOOL, BASH], "tool_choice": {"type": "tool", "name": "bash"}},
            "tool_choice.name: bash_20250124 is a tool of Anthropic's",
        ),
        ({"tools": [BASH], "tool_choice": {"type": "any"}}, "tool_choice: a call is demanded"),
        ({"tools": [TOOL, TOOL]}, "tools[1].name: an earlier tool has this name too"),
        (
            {"tools": [BASH, {**TOOL, "allowed_callers": []}]},
            "tools[1].allowed_callers: 'direct' must be among them",
        ),
        ({"tools": [{**TOOL, "input_schema": {"type": "string"}}]}, "tools[0].input_schema: "),
        ({"tools": [BASH, {**TOOL, "input_schema": {"type": "string"}}]}, "tools[1].input_schema: "),
        ({"tool_choice": {"type": "any"}}, "tool_choice: a call is demanded"),
        ({"tools": [TOOL], "tool_choice": {"type": "tool", "name": "b"}}, "tool_choice: "),
        ({"output_config": {"format": {"type": "json_schema"}}}, "output_config.format.schema: is missing"),
    ],
)
async def test_what_cannot_be_honoured_is_refused_by_its_name(fields: dict[str, Any], complaint: str) -> None:
    api = quiet()
    body = ask(**fields)
    assert (await api.refusal(body)).startswith(complaint)
    assert not api.engine.requests
    if "max_tokens" not in fields and not fields.keys() & {
        "stop_sequences",
        "temperature",
        "container",
        "unknown",
    }:
        del body["max_tokens"]
        assert (await api.refusal(body, COUNT)).startswith(complaint)


async def test_forms_are_refused_where_the_operator_says_so() -> None:
    form = {"type": "json_schema", "schema": {"type": "object"}}
    refusal = await Api(says("x"), disable_grammar_support=True).refusal(ask(output_config={"format": form}))
    assert refusal.startswith("output_config.format.schema: ")


async def test_a_rendered_conversation_is_what_the_engine_would_be_asked() -> None:
    api = Api(says("a"))
    body = {
        "model": "verbatim-demo",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": "Add 1."}],
        "tools": [TOOL],
        "tool_choice": {"type": "any"},
        "stop_sequences": ["x"],
    }
    rendered = await api.answer(body, f"{MESSAGES}/render")
    assert not api.engine.requests
    await api.answer(body)
    (asked,) = api.engine.requests
    assert rendered["request_id"].startswith("msg_")
    assert rendered["token_ids"] == [*asked.prompt.token_ids]
    params = rendered["sampling_params"]
    assert (params["max_tokens"], params["stop"]) == (9, ["x"])
    assert asked.sampling.grammar is not None
    assert params["structured_outputs"] == {"structural_tag": asked.sampling.grammar.source}


async def test_a_thinking_budget_reaches_an_engine_that_keeps_it_and_is_a_target_for_others() -> None:
    for keeps in (True, False):
        api = Api(says("x"))
        api.engine.capabilities = Capabilities(thinking_budget=keeps)
        await api.answer(ask(thinking=BUDGET, max_tokens=2000))
        bound = api.engine.request.sampling.thinking_budget
        assert (bound and bound.max_tokens) == (1024 if keeps else None)
    for kind in ("adaptive", "disabled"):
        assert (await submitted(thinking={"type": kind})).sampling.thinking_budget is None
