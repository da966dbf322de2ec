"""Requests are refused in Triton's words and with its statuses."""

import asyncio
import tracemalloc
from typing import Any

import httpx
import pytest

from engine.port.errors import EngineStopped, GenerationFailed
from engine.port.info.stats import Health
from tests.support.clocks.until import until
from tests.support.scripted.engine import ScriptedEngine, fails_after, says
from tests.unit.handlers.contracts.triton.api import MODEL, Api
from tests.unit.verbatim_kit.runtime.client import send

SHAPE = "The schema can not convert input '{}' to tensor with proper shape"
INVALID_TYPE = "parameter '{}' has invalid type. It should be either 'int', 'bool', or 'string'."
MEMBER_FAULTS = [
    ({"text_input": 5}, "Unable to parse 'text_input': attempt to access JSON non-string as string"),
    ({"text_input": [["a"]]}, SHAPE.format("text_input")),
    ({"text_input": ["a", "b"]}, SHAPE.format("text_input")),
    ({"text_input": []}, SHAPE.format("text_input")),
    ({"text_input": {"a": 1}}, SHAPE.format("text_input")),
    ({"stop_words": {"a": 1}}, SHAPE.format("stop_words")),
    ({"stop_words": [5]}, "Unable to parse 'stop_words': attempt to access JSON non-string as string"),
    (
        {"return_logprobs": "yes"},
        "Unable to parse 'return_logprobs': attempt to access JSON non-boolean as boolean",
    ),
    ({"temperature": "0.5"}, "Unable to parse 'temperature': attempt to access JSON non-number as number"),
    (
        {"max_tokens": 1.5},
        "Unable to parse 'max_tokens': attempt to access JSON non-signed-integer as signed-integer",
    ),
    (
        {"seed": "1"},
        "Unable to parse 'seed': attempt to access JSON non-unsigned-integer as unsigned-integer",
    ),
    ({"temperature": -1}, "input 'temperature' must be greater than or equal to 0"),
    ({"return_context_logits": True}, "input 'return_context_logits' must be False or an array"),
    ({"n": [1]}, INVALID_TYPE.format("n")),
    ({"anything": {"a": 1}}, INVALID_TYPE.format("anything")),
    ({"anything": [1]}, INVALID_TYPE.format("anything")),
    (
        {"anything": 1},
        "Unexpected parameter 'anything': the model has no input and no parameter of that name",
    ),
    ({"n": "two"}, "parameter 'n' must be an integer"),
]


@pytest.mark.parametrize(("members", "message"), MEMBER_FAULTS)
async def test_a_member_that_is_not_what_the_model_takes(members: dict[str, Any], message: str) -> None:
    assert await Api(says()).refusal(**members) == message
    inner = {"parameters": {"text_input": "Hi", **members}}
    assert await Api(says()).refusal_of(inner) == f"Converting keyword: 'parameters': {message}"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"text_input": "a", "id": 5}, "Unable to parse 'id': attempt to access JSON non-string as string"),
        ({"text_input": "a", "parameters": []}, "Expected JSON object for keyword: 'parameters'"),
        ({"text_input": "a", "parameters": None}, "Expected JSON object for keyword: 'parameters'"),
        ([], "The body must be an object"),
        (
            {"text_input": "a", "parameters": {"text_input": "b"}},
            "Converting keyword: 'parameters': input 'text_input' already exists in request",
        ),
        (
            {"text_input": "a", "n": 1, "parameters": {"n": 1}},
            "Converting keyword: 'parameters': parameter 'n' already exists in request",
        ),
    ],
)
async def test_a_body_that_is_no_request(body: object, message: str) -> None:
    assert await Api(says()).refusal_of(body) == message


@pytest.mark.parametrize(
    ("named", "told"), [({}, "<id_unknown>"), ({"id": "7"}, "7"), ({"id": ""}, "<id_unknown>")]
)
async def test_a_missing_input_is_told_with_those_that_are_there(named: dict[str, str], told: str) -> None:
    body = {**named, "max_tokens": 3, "n": 1, "parameters": {"temperature": 0}}
    message = await Api(says()).refusal_of(body)
    assert message.startswith(f"[request id: {told}] expected number of inputs between 1 and ")
    assert "but got 2 inputs for model 'verbatim-demo'. Got input(s) ['max_tokens','temperature']," in message
    assert message.endswith("missing required input(s) ['text_input']. Please provide all required input(s).")


async def post(path: str, content: bytes) -> tuple[int, dict[str, str]]:
    response = await send(Api(says()).app, "POST", f"/triton/v2/models/{path}", content=content)
    answer: dict[str, str] = response.json()
    return response.status_code, answer


@pytest.mark.parametrize("operation", ["generate", "generate_stream"])
async def test_what_the_path_names_is_looked_up_before_the_body_is_read(operation: str) -> None:
    remedy = "('verbatim-demo' is served; --model-alias adds names)"
    unknown = f"Request for unknown model: '{{}}' is not found {remedy}"
    for path, status, message in (
        ("other", 400, unknown.format("other")),
        ("other/versions/1", 400, unknown.format("other")),
        ("an/other", 400, unknown.format("an/other")),
        (
            "verbatim-demo/versions/9",
            404,
            "Request for unknown model: 'verbatim-demo' version 9 is not found",
        ),
        ("verbatim-demo/versions/latest", 404, "Not Found"),
        ("verbatim-demo/versions/\u0661", 404, "Not Found"),
    ):
        assert await post(f"{path}/{operation}", b"{") == (status, {"error": message})
    status, body = await post(f"verbatim-demo/versions/01/{operation}", b"{")
    assert status == 400
    assert body["error"].startswith("failed to parse the request JSON buffer: ")


async def test_the_pages_own_request_is_answered_though_curl_sends_it_as_a_form() -> None:
    api = Api(says(" there"))
    response = await send(
        api.app,
        "POST",
        f"{MODEL}/generate",
        content=b'{"id": "42", "text_input": "Hi", "parameters": {"stream": false, "temperature": 0}}',
        headers={"content-type": "application/x-www-form-urlencoded"},
    )
    assert response.status_code == 200
    assert response.json() == {
        "id": "42",
        "model_name": "verbatim-demo",
        "model_version": "1",
        "text_output": "Hi there",
    }
    assert api.engine.request.sampling.temperature == 0


@pytest.mark.parametrize(
    ("method", "path", "status", "message"),
    [
        ("GET", "/nothing", 404, "Not Found; the base URL of the contract triton is http://test/triton"),
        ("GET", "/v2/models/verbatim-demo/generate", 405, "Method Not Allowed"),
        ("DELETE", "/v2", 405, "Method Not Allowed"),
    ],
)
async def test_what_is_no_operation(method: str, path: str, status: int, message: str) -> None:
    response = await send(Api(says()).app, method, f"/triton{path}")
    assert (response.status_code, response.json()) == (status, {"error": message})


async def test_a_body_that_is_too_long_is_400() -> None:
    response = await Api(says(), payload_limit=10).post("/generate", {"text_input": "Hi there"})
    assert (response.status_code, list(response.json())) == (400, ["error"])


@pytest.mark.parametrize("field", ["n", "num_return_sequences", "beam_width"])
@pytest.mark.parametrize("path", ["/generate", "/generate_stream"])
async def test_sequences_that_cannot_be_had_take_no_memory(path: str, field: str) -> None:
    api = Api(says("Hi"))
    tracemalloc.start()
    response = await api.post(path, {"text_input": "Hi", field: 300_000})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    message = f"`{field}` requests 300000 sequences; the limit for a request is 40960"
    assert (response.status_code, response.json()) == (400, {"error": message})
    assert peak < 10 * 2**20


async def test_a_server_that_is_full_is_503_and_says_when_to_try_again() -> None:
    gate = asyncio.Event()
    api = Api(ScriptedEngine(says("a"), gate=gate), max_concurrent_requests=2, max_request_share=1)
    first = asyncio.create_task(api.post("/generate", {"text_input": "a", "n": 3}))
    await until(lambda: api.engine.num_running > 0)
    full = await api.post("/generate", {"text_input": "a"})
    assert (full.status_code, list(full.json()), "retry-after" in full.headers) == (503, ["error"], True)
    gate.set()
    assert (await first).status_code == 200


@pytest.mark.parametrize(("error", "status"), [(GenerationFailed("no"), 500), (EngineStopped("no"), 503)])
async def test_a_failure_before_the_first_event_keeps_its_status(error: Exception, status: int) -> None:
    body = {"text_input": "Hi", "stream": True}
    response: httpx.Response = await Api(fails_after(error)).post("/generate_stream", body)
    assert response.status_code == status
    assert response.headers["content-type"] == "application/json"
    assert list(response.json()) == ["error"]


async def test_a_failure_after_it_is_an_event_and_the_last() -> None:
    told = await Api(fails_after(GenerationFailed("no"), "a", "b")).events()
    assert [event.get("text_output") for event in told] == ["a", "b", None]
    assert told[-1] == {"error": "no"}


async def test_a_key_is_asked_for_where_text_is_generated_and_nowhere_else() -> None:
    api = Api(says("a"), api_key="secret")
    refused = await api.post("/generate", {"text_input": "a"})
    assert (refused.status_code, refused.json()) == (401, {"error": "Missing or wrong API key"})
    assert (await api.get("/triton/v2/models/verbatim-demo")).json()["name"] == "verbatim-demo"


async def test_probes_of_an_ailing_server() -> None:
    engine = ScriptedEngine(says())
    engine.condition = Health(False, "stuck")
    api = Api(engine)
    assert (await api.get("/triton/v2/health/live")).status_code == 200
    assert (await api.get("/triton/v2/health/ready")).status_code == 400
    ready = await api.get(f"{MODEL}/ready")
    assert (ready.status_code, ready.json()) == (400, {"error": "Model version not ready"})
    index = await send(api.app, "POST", "/triton/v2/repository/index", json={"ready": True})
    assert index.json() == []


async def test_the_probe_of_life_fails_where_only_another_process_will_serve() -> None:
    engine = ScriptedEngine(says())
    engine.condition = Health(False, "the engine died", is_alive=False)
    live = await Api(engine).get("/triton/v2/health/live")
    assert (live.status_code, live.json()) == (400, {"error": "Server not live"})
