"""Failures reach the client by status before the first event, and by an event after it."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from engine.port.errors import (
    EngineStopped,
    GenerationFailed,
    InvalidGrammar,
    InvalidRequest,
    NoTokenLeft,
    PromptTooLong,
    RequestAborted,
)
from engine.port.request import EmbeddingRequest
from tests.support.clocks.until import until
from tests.support.scripted.engine import ScriptedEngine, fails_after, says
from tests.unit.handlers.contracts.openai.api import (
    CHAT,
    COMPLETIONS,
    EMBEDDINGS,
    MODEL,
    MODELS,
    TOOL,
    Api,
    Refusal,
    chat,
    completion,
    quiet,
)
from tests.unit.verbatim_kit.runtime.client import send

EMBED = {"model": MODEL, "input": "Hi"}
GENERATING: list[tuple[str, dict[str, Any]]] = [
    (CHAT, chat()),
    (CHAT, chat(stream=True)),
    (COMPLETIONS, completion()),
    (COMPLETIONS, completion(stream=True)),
    (COMPLETIONS, completion(["a", "b"], stream=True)),
]
STREAMS = [(path, body) for path, body in GENERATING if body.get("stream")]

# Of the engine -> status, type and code. What fails nobody on purpose is told without its text.
FAILURES: list[tuple[Exception, int, str, str | None]] = [
    (InvalidRequest("no such thing"), 400, "invalid_request_error", "invalid_value"),
    (NoTokenLeft("none can be drawn"), 400, "invalid_request_error", "invalid_value"),
    (GenerationFailed("out of memory"), 500, "server_error", None),
    (RequestAborted("gone"), 503, "service_unavailable_error", "service_unavailable"),
    (EngineStopped("drains"), 503, "service_unavailable_error", "service_unavailable"),
    (ZeroDivisionError("a bug"), 500, "server_error", None),
]


@pytest.mark.parametrize(("path", "body"), GENERATING)
@pytest.mark.parametrize(("failure", "status", "type_", "code"), FAILURES)
async def test_a_failure_before_the_first_event_has_its_status_streamed_or_not(
    path: str, body: dict[str, Any], failure: Exception, status: int, type_: str, code: str | None
) -> None:
    response = await Api(fails_after(failure)).post(path, body)
    error = response.json()["error"]
    assert (response.status_code, error["type"], error["code"], error["param"]) == (status, type_, code, None)
    assert ("retry-after" in response.headers) is (status == 503)
    assert ("bug" in error["message"]) is False


@pytest.mark.parametrize(("path", "body"), STREAMS)
@pytest.mark.parametrize(("failure", "status", "type_", "code"), FAILURES)
async def test_a_failure_after_the_first_event_is_an_event_and_done_follows(
    path: str, body: dict[str, Any], failure: Exception, status: int, type_: str, code: str | None
) -> None:
    *chunks, last = await Api(fails_after(failure, "a")).chunks(path, body)
    assert chunks and all(chunk["choices"] for chunk in chunks)
    assert last.keys() == {"error"}
    assert (last["error"]["type"], last["error"]["code"]) == (type_, code)
    assert last["error"]["message"] and "bug" not in last["error"]["message"]


@pytest.mark.parametrize(("path", "body"), GENERATING)
async def test_events_that_end_too_early_are_the_servers_fault(path: str, body: dict[str, Any]) -> None:
    assert await Api(lambda request: ()).refusal(path, body) == Refusal(500, None, None)


@pytest.mark.parametrize(("path", "body"), STREAMS)
async def test_usage_is_not_told_of_a_stream_that_breaks(path: str, body: dict[str, Any]) -> None:
    asked = body | {"stream_options": {"include_usage": True}}
    *_, last = await Api(fails_after(GenerationFailed("x"), "a")).chunks(path, asked)
    assert last.keys() == {"error"}


@pytest.mark.parametrize(
    ("path", "body", "field"), [(CHAT, chat, "messages"), (COMPLETIONS, completion, "prompt")]
)
@pytest.mark.parametrize("stream", [False, True])
async def test_a_full_context_is_told_in_openais_words_and_blamed_on_the_prompt(
    path: str, body: Callable[..., dict[str, Any]], field: str, stream: bool
) -> None:
    status, error = await Api(fails_after(PromptTooLong(150, 60, 200))).error(path, body(stream=stream))
    assert (status, error["code"], error["param"]) == (400, "context_length_exceeded", field)
    assert error["message"] == (
        "This model's maximum context length is 200 tokens. However, you requested 210 tokens "
        f"(150 in the {field}, 60 in the completion). Please reduce the length of the {field} or completion."
    )


FORMS: list[tuple[dict[str, Any], str]] = [
    ({"response_format": {"type": "regex", "value": "("}}, "response_format"),
    ({"structured_outputs": {"regex": "("}}, "structured_outputs"),
    ({"guided_json": {"type": "what"}}, "guided_json"),
    ({"guided_regex": "("}, "guided_regex"),
    ({"guided_grammar": "("}, "guided_grammar"),
    ({"regex": "("}, "regex"),
    ({"ebnf": "("}, "ebnf"),
    ({"response_format": {"type": "text"}, "ebnf": "("}, "ebnf"),
]


@pytest.mark.parametrize(
    ("path", "body"), [(CHAT, chat), (COMPLETIONS, completion)], ids=["chat", "completions"]
)
@pytest.mark.parametrize(("fields", "field"), FORMS)
async def test_a_grammar_that_does_not_compile_is_blamed_on_the_field_that_was_sent(
    path: str, body: Callable[..., dict[str, Any]], fields: dict[str, Any], field: str
) -> None:
    api = Api(fails_after(InvalidGrammar("unbalanced")))
    assert await api.refusal(path, body(**fields)) == Refusal(400, "invalid_value", field)


async def test_a_grammar_of_tools_that_does_not_compile_is_blamed_on_them() -> None:
    api = Api(fails_after(InvalidGrammar("unbalanced")))
    assert await api.refusal(CHAT, chat(tools=[TOOL], tool_choice="required")) == Refusal(
        400, "invalid_value", "tools"
    )


async def test_a_tool_whose_parameters_do_not_compile_is_blamed_by_its_place() -> None:
    name = TOOL["function"]["name"]
    tools = [{**TOOL, "function": {**TOOL["function"], "name": other}} for other in (name[:2], name, "b")]
    api = Api(fails_after(InvalidGrammar("in the tag", f'<call>{{"name": "{name}"')))
    assert await api.refusal(CHAT, chat(tools=tools, tool_choice="required")) == Refusal(
        400, "invalid_value", "tools[1].function.parameters"
    )


@pytest.mark.parametrize(("path", "body"), [*GENERATING, (EMBEDDINGS, EMBED)])
async def test_no_model_of_the_name_is_404_with_the_name_in_the_message(
    path: str, body: dict[str, Any]
) -> None:
    status, error = await quiet().error(path, body | {"model": "gpt-9"})
    assert (status, error["type"]) == (404, "invalid_request_error")
    assert (error["code"], error["param"]) == ("model_not_found", "model")
    assert error["message"].startswith("The model `gpt-9` does not exist or you do not have access to it. (")


@pytest.mark.parametrize(("path", "body"), [*GENERATING, (EMBEDDINGS, EMBED)])
async def test_a_request_over_the_limit_is_429_until_another_ends(path: str, body: dict[str, Any]) -> None:
    gate = asyncio.Event()
    api = Api(ScriptedEngine(says("a"), gate=gate), max_concurrent_requests=2, max_request_share=1)
    first = asyncio.create_task(api.post(COMPLETIONS, completion(["a", "b"])))
    await until(lambda: api.engine.num_running >= 2)
    response = await api.post(path, body)
    error = response.json()["error"]
    assert response.status_code == 429
    assert (error["type"], error["code"]) == ("rate_limit_error", "rate_limit_exceeded")
    assert int(response.headers["retry-after"]) >= 1
    gate.set()
    assert (await first).status_code == 200
    assert (await api.post(path, body)).status_code == 200


async def test_embeddings_fail_with_the_statuses_of_the_rest() -> None:
    def fail(error: Exception) -> Api:
        def raise_(request: EmbeddingRequest) -> Any:
            raise error

        return Api(ScriptedEngine(says("x"), embeds=raise_))

    assert await fail(PromptTooLong(300, 0, 200)).refusal(EMBEDDINGS, EMBED) == Refusal(
        400, "context_length_exceeded", "input"
    )
    assert await fail(GenerationFailed("x")).refusal(EMBEDDINGS, EMBED) == Refusal(500, None, None)
    assert (await fail(EngineStopped("x")).refusal(EMBEDDINGS, EMBED)).status == 503


ALL: list[tuple[str, str, dict[str, Any] | None]] = [
    ("POST", CHAT, chat()),
    ("POST", COMPLETIONS, completion()),
    ("POST", EMBEDDINGS, EMBED),
    ("GET", MODELS, None),
    ("GET", f"{MODELS}/{MODEL}", None),
]


@pytest.mark.parametrize(("method", "path", "body"), ALL)
async def test_with_a_key_every_operation_asks_for_it(
    method: str, path: str, body: dict[str, Any] | None
) -> None:
    api = Api(says("a"), api_key="secret")
    for headers in ({}, {"authorization": "Bearer Secret"}, {"authorization": "secret"}):
        refused = await send(api.app, method, path, json=body, headers=headers)
        error = refused.json()["error"]
        assert (refused.status_code, error["code"]) == (401, "invalid_api_key")
        assert error["type"] == "invalid_request_error"
        assert refused.headers["www-authenticate"] == "Bearer"
        assert "secret" not in refused.text
    let_in = await send(api.app, method, path, json=body, headers={"authorization": "Bearer secret"})
    assert let_in.status_code == 200


async def told(method: str, path: str, **request: Any) -> tuple[int, str, str | None]:
    response = await send(quiet().app, method, path, **request)
    assert response.json().keys() == {"error"}
    error = response.json()["error"]
    assert error["message"] and error.keys() == {"message", "type", "param", "code"}
    return response.status_code, error["type"], error["code"]


async def test_what_no_operation_answers_is_told_in_the_contracts_form() -> None:
    assert await told("GET", "/openai/v1/nothing") == (404, "invalid_request_error", "unknown_url")
    assert await told("GET", CHAT) == (405, "invalid_request_error", "method_not_allowed")
    assert await told("DELETE", MODELS) == (405, "invalid_request_error", "method_not_allowed")


async def test_a_body_of_another_kind_or_too_long_is_told_in_the_contracts_form() -> None:
    text = {"content": b"Hi", "headers": {"content-type": "text/plain"}}
    assert await told("POST", CHAT, **text) == (415, "invalid_request_error", "unsupported_media_type")
    status, error = await Api(says("x"), payload_limit=100).error(CHAT, chat("x" * 200))
    assert (status, error["code"]) == (413, "payload_too_large")


async def test_a_client_that_goes_ends_its_request() -> None:
    gate = asyncio.Event()
    api = Api(ScriptedEngine(says("a"), gate=gate), max_concurrent_requests=1)
    for path, body in GENERATING[:4]:
        asking = asyncio.create_task(api.post(path, body))
        await until(lambda: api.engine.num_running > 0)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        assert api.engine.num_running == 0
    gate.set()
    assert (await api.post(CHAT, chat())).status_code == 200  # every permit has been given back
