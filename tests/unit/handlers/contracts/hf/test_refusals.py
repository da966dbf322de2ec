"""Tests what is refused, with which status, kind and words."""

import asyncio
from typing import Any

import pytest

from engine.port.errors import EngineStopped, GenerationFailed, InvalidGrammar
from engine.port.info.stats import Health
from tests.support.clocks.until import until
from tests.support.scripted.engine import ScriptedEngine, fails_after, says
from tests.unit.handlers.contracts.hf.api import Api, chat, completion, generate_body
from tests.unit.handlers.contracts.hf.test_chat import TOOL
from tests.unit.verbatim_kit.runtime.client import send

GENERATING: list[tuple[str, dict[str, Any]]] = [
    ("/generate", generate_body()),
    ("/generate_stream", generate_body()),
    ("/v1/chat/completions", chat()),
    ("/v1/chat/completions", chat(stream=True)),
    ("/v1/completions", completion()),
    ("/v1/completions", completion(stream=True)),
]
RULES: list[tuple[str, dict[str, Any], str, str]] = [
    ("/generate", generate_body(best_of=3, do_sample=True), "validation", "`best_of` must be > 0 and <= 2"),
    ("/generate", generate_body(best_of=2), "validation", "you must use sampling"),
    ("/generate", generate_body(best_of=2, do_sample=True, seed=1), "validation", "`seed` must not be set"),
    (
        "/generate_stream",
        generate_body(best_of=2, do_sample=True),
        "validation",
        "`best_of` != 1 is not supported",
    ),
    (
        "/generate_stream",
        generate_body(decoder_input_details=True),
        "validation",
        "`decoder_input_details` == true",
    ),
    ("/generate", generate_body(truncate=1000), "validation", "`truncate` must be"),
    (
        "/generate",
        generate_body(max_new_tokens=1000),
        "validation",
        "`inputs` tokens + `max_new_tokens` must be",
    ),
    ("/generate", generate_body(stop=list("abcde")), "validation", "`stop` supports up to 4"),
    (
        "/generate",
        generate_body(grammar={"type": "json", "value": "no JSON"}),
        "validation",
        "the schema is not",
    ),
    ("/v1/chat/completions", chat(top_logprobs=2), "validation", "`top_logprobs` needs `logprobs`"),
    ("/v1/chat/completions", chat(stream_options={"include_usage": True}), "validation", "`stream_options`"),
    ("/v1/chat/completions", chat(max_tokens=1000), "validation", "`inputs` tokens"),
    ("/v1/chat/completions", chat(tools=[TOOL], response_format={"type": "json_object"}), "tool_error", ""),
    ("/v1/chat/completions", chat(tools=[TOOL], tool_choice={"function": {"name": "x"}}), "tool_error", ""),
    ("/v1/completions", completion(suffix="x"), "suffix not supported", ""),
    ("/v1/completions", completion(list("abcde")), "batch size exceeded", ""),
]


@pytest.mark.parametrize(("path", "body", "slug", "message"), RULES)
async def test_a_broken_rule_is_400_before_anything_runs(
    path: str, body: dict[str, Any], slug: str, message: str
) -> None:
    api = Api(says("x"))
    status, told_slug, told = await api.refusal(path, body)
    assert (status, told_slug) == (400, slug)
    assert message in told
    assert api.engine.requests == []


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/generate", {"inputs": ""}, "inputs"),
        ("/generate", generate_body(top_k=-1), "parameters.top_k"),
        ("/generate", generate_body(max_new_tokens=0), "parameters.max_new_tokens"),
        ("/generate", generate_body(grammar={"type": "json"}), "parameters.grammar"),
        ("/v1/chat/completions", {"messages": [{"role": "user", "content": "Hi"}]}, "model"),
        ("/v1/chat/completions", chat(temperature=3), "temperature"),
        ("/v1/chat/completions", chat(top_logprobs=6), "top_logprobs"),
        ("/v1/chat/completions", chat(response_format={"type": "xml"}), "response_format"),
        ("/v1/completions", {"prompt": "Hi"}, "model"),
        ("/tokenize", {"add_special_tokens": True}, "inputs"),
    ],
)
async def test_a_body_that_the_document_forbids_is_400_and_names_the_field(
    path: str, body: dict[str, Any], field: str
) -> None:
    status, slug, told = await Api(says("x")).refusal(path, body)
    assert (status, slug) == (400, "validation")
    assert told.startswith(f"Input validation error: {field}")


@pytest.mark.parametrize(("path", "body"), GENERATING)
@pytest.mark.parametrize(
    ("error", "refusal"),
    [
        (
            GenerationFailed("out of memory"),
            (422, "generation", "Request failed during generation: out of memory"),
        ),
        (InvalidGrammar("no such rule"), (400, "validation", "Input validation error: no such rule")),
        (EngineStopped("stopped"), (503, "unavailable", "The server is shutting down")),
    ],
)
async def test_what_fails_before_the_first_event_has_its_status(
    path: str, body: dict[str, Any], error: Exception, refusal: tuple[int, str, str]
) -> None:
    assert await Api(fails_after(error)).refusal(path, body) == refusal


@pytest.mark.parametrize(("path", "body"), [GENERATING[1], GENERATING[3], GENERATING[5]])
async def test_what_fails_later_is_the_contracts_error_as_an_event(path: str, body: dict[str, Any]) -> None:
    events = await Api(fails_after(GenerationFailed("out of memory"), "a")).events(path, body)
    done = [] if path == "/generate_stream" else ["[DONE]"]
    error = {"error": "Request failed during generation: out of memory", "error_type": "generation"}
    assert events[1:] == [error, *done]


@pytest.mark.parametrize(("path", "body"), GENERATING)
async def test_a_server_without_room_is_429(path: str, body: dict[str, Any]) -> None:
    gate = asyncio.Event()
    api = Api(ScriptedEngine(says("a"), gate=gate), max_concurrent_requests=1)
    first = asyncio.create_task(api.post(path, body))
    await until(lambda: api.engine.num_running > 0)
    response = await api.post(path, body)
    gate.set()
    assert (await first).status_code == 200
    assert response.status_code == 429
    assert response.json() == {"error": "Model is overloaded", "error_type": "overloaded"}
    assert int(response.headers["retry-after"]) > 0


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/generate"),
        ("POST", "/generate_stream"),
        ("POST", "/v1/chat/completions"),
        ("POST", "/v1/completions"),
        ("POST", "/tokenize"),
    ],
)
async def test_a_server_with_a_key_asks_for_it_where_the_document_guards(method: str, path: str) -> None:
    api = Api(says("x"), api_key="secret")
    response = await send(api.app, method, path, json={})
    assert response.status_code == 401
    assert response.json()["error_type"] == "unauthorized"
    assert response.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("path", ["/v1/models", "/info", "/health", "/metrics"])
async def test_what_the_document_leaves_open_needs_no_key(path: str) -> None:
    """The answers, which `/metrics` and `/info` change each time, are other tests'."""
    assert (await Api(says("x"), api_key="secret").get(path)).status_code == 200


async def test_an_unhealthy_engine_is_503_without_a_body() -> None:
    engine = ScriptedEngine(says("x"))
    engine.condition = Health(False, "the engine died")
    response = await Api(engine).get("/health")
    assert (response.status_code, response.content) == (503, b"")
