"""Fields that a contract does not have: taken in items of history and as null, refused elsewhere."""

from functools import cache
from typing import Any, Final

import httpx
import pytest

from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.handlers.contracts.openai.api import Api

_NOTE: Final = {"note_of_a_library": {"a": [1]}}
_QUESTION: Final = {"role": "user", "content": [{"type": "text", "text": "What is 1 + 1?"}]}
_CALL: Final = {"id": "call_1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
_CALLING: Final = {"role": "assistant", "content": "I add.", "tool_calls": [_CALL]}
_RESULT: Final = {"role": "tool", "tool_call_id": "call_1", "content": "2"}
_FUNCTION: Final = {"name": "add", "parameters": {"type": "object"}}
_CHAT: Final = {
    "model": "verbatim-demo",
    "messages": [{"role": "system", "content": "Add."}, _QUESTION, _CALLING, _RESULT],
    "tools": [{"type": "function", "function": _FUNCTION}],
    "max_tokens": 1,
    "seed": 1,
}
_PLAIN: Final = {**_CHAT, "messages": [{"role": "user", "content": "Hi"}]}
_RESPONSES: Final[dict[str, Any]] = {
    "model": "verbatim-demo",
    "input": [
        {"role": "user", "content": [{"type": "input_text", "text": "What is 1 + 1?"}]},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]},
        {"role": "assistant", "content": [{"type": "output_text", "text": "I add."}]},
        {"type": "function_call", "call_id": "call_1", "name": "add", "arguments": "{}"},
        {
            "type": "function_call_output",
            "call_id": "call_1",
            "output": [{"type": "input_text", "text": "2"}],
        },
        {"type": "custom_tool_call", "call_id": "call_2", "name": "say", "input": "a"},
        {"type": "custom_tool_call_output", "call_id": "call_2", "output": "b"},
        {"type": "message", "role": "user", "content": "And?"},
    ],
    "tools": [{"type": "function", **_FUNCTION}, {"type": "custom", "name": "say"}],
    "max_output_tokens": 16,
    "seed": 1,
}
_MESSAGES: Final = {
    "model": "verbatim-demo",
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "What is 1 + 1?"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Hm.", "signature": ""},
                {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 1}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "2"}]},
                {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a"}},
            ],
        },
    ],
    "tools": [{"name": "add", "input_schema": {"type": "object"}}],
    "max_tokens": 1,
}

# A conversation of each contract that takes some.
CONVERSATIONS: Final[dict[str, dict[str, Any]]] = {
    "/openai/v1/chat/completions": _CHAT,
    "/openai/v1/responses": _RESPONSES,
    "/anthropic/v1/messages": _MESSAGES,
    "/tgi/v1/chat/completions": _CHAT,
    "/hf/v1/chat/completions": _CHAT,
    "/mindie/v1/chat/completions": _CHAT,
    "/aleph_alpha/chat/completions": {k: v for k, v in _PLAIN.items() if k != "tools"},
}


@cache
def server(**settings: Any) -> Api:
    return Api(ScriptedEngine(says("x"), max_total_tokens=2000), **settings)


async def ask(api: Api, path: str, body: object) -> httpx.Response:
    api.engine.requests.clear()
    return await api.post(path, body, headers={"anthropic-version": "2023-06-01"})


def noted(value: Any) -> Any:
    """Return a value in which every object has an unknown field, but for those that a tool is given."""
    if isinstance(value, list):
        return [noted(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: inner if key == "input" else noted(inner) for key, inner in value.items()} | _NOTE


def with_notes(body: dict[str, Any]) -> dict[str, Any]:
    items = "input" if "input" in body else "messages"
    return {**body, items: noted(body[items])}


@pytest.mark.parametrize("path", CONVERSATIONS)
async def test_every_item_of_history_may_have_an_unknown_field_which_is_counted(path: str) -> None:
    api, body = server(), CONVERSATIONS[path]
    assert (await ask(api, path, body)).status_code == 200
    prompt = api.prompt
    answer = await ask(api, path, with_notes(body))
    assert answer.status_code == 200, answer.text
    assert "x-ignored-fields" not in answer.headers
    assert api.prompt == prompt
    item = "input[]" if "input" in body else "messages[]"
    sample = (
        f'verbatim_ignored_fields_total{{contract="{path.split("/")[1]}",field="{item}.note_of_a_library"}}'
    )
    assert sample in (await api.get("/tgi/metrics")).text


@pytest.mark.parametrize(
    "path", ["/openai/v1/chat/completions", "/openai/v1/responses", "/anthropic/v1/messages"]
)
async def test_an_error_in_an_item_with_an_unknown_field_names_the_known_one(path: str) -> None:
    body = with_notes(CONVERSATIONS[path])
    items = "input" if "input" in body else "messages"
    body[items] = [{**body[items][0], "content": 5}, *body[items][1:]]
    answer = await ask(server(), path, body)
    assert answer.status_code == 400
    assert f"{items}[0].content" in answer.text


NULLS: Final[dict[str, dict[str, Any]]] = {
    **CONVERSATIONS,
    "/openai/v1/completions": {"model": "verbatim-demo", "prompt": "a", "max_tokens": 1},
    "/openai/v1/embeddings": {"model": "verbatim-demo", "input": "a"},
    "/v2/models/verbatim-demo/generate": {"text_input": "a", "parameters": {"max_tokens": 1}},
    "/tokens/inference/v1/generate": {"token_ids": [72], "sampling_params": {"max_tokens": 1}},
}


def with_nulls(value: Any) -> Any:
    """Return a value in which every object has an unknown field that is null, but for a schema's."""
    if isinstance(value, list):
        return [with_nulls(item) for item in value]
    if not isinstance(value, dict):
        return value
    open_ones = ("input", "input_schema", "parameters") if "name" in value else ()
    return {k: v if k in open_ones else with_nulls(v) for k, v in value.items()} | {"unheard_of": None}


@pytest.mark.parametrize("path", NULLS)
async def test_null_of_an_unknown_name_means_absent_in_every_object(path: str) -> None:
    api, body = server(), NULLS[path]
    assert (await ask(api, path, body)).status_code == 200
    seen = [request.prompt.token_ids for request in api.engine.requests]
    answer = await ask(api, path, with_nulls(body))
    assert answer.status_code == 200, answer.text
    assert "unheard_of" not in answer.text
    assert [request.prompt.token_ids for request in api.engine.requests] == seen


_ODD: Final = {"unheard_of": 1}
STRICT: Final[list[tuple[str, dict[str, Any], str]]] = [
    ("/openai/v1/chat/completions", {**_PLAIN, **_ODD}, "unheard_of"),
    (
        "/openai/v1/chat/completions",
        {**_PLAIN, "tools": [{"type": "function", "function": {**_FUNCTION, **_ODD}}]},
        "tools[0].function.unheard_of",
    ),
    ("/openai/v1/responses", {**_RESPONSES, "tools": [{**_RESPONSES["tools"][0], **_ODD}]}, "unheard_of"),
    ("/anthropic/v1/messages", {**_MESSAGES, **_ODD}, "unheard_of"),
    ("/tokens/inference/v1/generate", {**NULLS["/tokens/inference/v1/generate"], **_ODD}, "unheard_of"),
]


@pytest.mark.parametrize(("path", "body", "field"), STRICT)
async def test_what_steers_an_answer_has_no_unknown_field_unless_the_server_ignores_all(
    path: str, body: dict[str, Any], field: str
) -> None:
    refused = await ask(server(), path, body)
    assert refused.status_code == 400
    assert field in refused.text
    taken = await ask(server(unknown_fields="ignore", check_responses="fail"), path, body)
    assert taken.status_code == 200, taken.text
    assert "unheard_of" in taken.headers["x-ignored-fields"]


async def test_a_field_of_another_form_is_refused_even_where_unknown_fields_are_ignored() -> None:
    body = {**_PLAIN, "structured_outputs": {"json": {}, "regex": "a", **_ODD}}
    answer = await ask(server(unknown_fields="ignore"), "/openai/v1/chat/completions", body)
    assert answer.status_code == 400
    assert "only one of regex and json" in answer.text
    body["structured_outputs"] = {"regex": "a", **_ODD}
    answer = await ask(server(unknown_fields="ignore"), "/openai/v1/chat/completions", body)
    assert answer.headers["x-ignored-fields"] == "structured_outputs.unheard_of"


async def test_the_list_of_ignored_fields_is_bounded_and_plain() -> None:
    many = {f"é{number}\n": 1 for number in range(900)}
    path = "/openai/v1/chat/completions"
    listed = (await ask(server(unknown_fields="ignore"), path, {**_PLAIN, **many})).headers[
        "x-ignored-fields"
    ]
    assert len(listed) < 1100 and listed.startswith("?0?, ")
