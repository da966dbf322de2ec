"""Requests reach the process of their model as they are, and so do answers and streams their clients."""

import json
from typing import Any

import httpx
import pytest

from handlers.supervisor.model import State
from tests.support.clocks.until import until
from tests.unit.handlers.supervisor.conftest import Supervisor, running_supervisor

CHAT = "/v1/chat/completions"


def chat(model: str, order: str = "Hi") -> dict[str, Any]:
    return {"model": model, "messages": [{"role": "user", "content": order}]}


@pytest.mark.parametrize(
    ("method", "path", "request_parts", "name"),
    [
        ("POST", CHAT, {"json": chat("a")}, "a"),
        ("POST", CHAT, {"json": chat("b/c")}, "b/c"),
        ("POST", "/mindie/v1/chat/completions", {"json": chat("b/c")}, "b/c"),
        ("POST", "/v1/messages", {"json": chat("b/c")}, "b/c"),
        ("POST", "/invocations", {"json": chat("b/c")}, "b/c"),
        ("POST", "/v2/models/b/c/generate", {"json": {"text_input": "Hi"}}, "b/c"),
        ("GET", "/v1/models/b/c", {}, "b/c"),
        ("GET", "/anthropic/v1/models/b/c", {}, "b/c"),
        (
            "POST",
            "/v1/audio/transcriptions",
            {"data": {"model": "b/c"}, "files": {"file": ("a.wav", b"RIFF")}},
            "b/c",
        ),
        ("POST", "/generate", {"json": {"inputs": "Hi"}}, "a"),
        ("POST", CHAT, {"json": chat("unknown")}, "a"),
        ("POST", CHAT, {"content": b"{no JSON", "headers": {"content-type": "application/json"}}, "a"),
        ("GET", "/info", {}, "a"),
        ("GET", "/playground/about", {}, "a"),
        ("GET", "/", {"headers": {"accept": "text/html"}}, "a"),
        ("GET", "/models/b/c/info", {}, "b/c"),
        ("POST", "/models/b/c/generate", {"json": {"inputs": "Hi"}}, "b/c"),
        ("POST", "/models/b/c", {"json": {"inputs": "Hi"}}, "b/c"),
        ("GET", "/models/b/c/health", {}, "b/c"),
        ("GET", "/models/b/c/v1/models", {}, "b/c"),
        ("POST", "/models/b/c/v1/chat/completions", {"json": chat("a")}, "b/c"),
    ],
)
async def test_a_request_is_answered_by_its_model(
    supervisor: Supervisor, method: str, path: str, request_parts: dict[str, Any], name: str
) -> None:
    answer = (await supervisor.client.request(method, path, **request_parts)).json()
    assert (answer["name"], answer["method"]) == (name, method)
    target = path.removeprefix("/models/b/c") if path.startswith("/models/") else path
    assert answer["target"] == (target or "/")


async def test_bodies_headers_queries_and_statuses_pass_as_they_are(supervisor: Supervisor) -> None:
    body = b' {"model": "a",  "messages":[{"role":"user","content":"refuse"}]} '
    headers: dict[str, Any] = {
        "content-type": "application/json",
        "x-client": "\u00fc".encode(),
        "origin": str(supervisor.client.base_url),
        "user-agent": "mine",
        "accept-encoding": "br",
    }
    response = await supervisor.client.post(f"{CHAT}?x=%2F&y", content=body, headers=headers)
    answer = response.json()
    assert response.status_code == 418
    assert (answer["body"], answer["target"]) == (body.decode(), f"{CHAT}?x=%2F&y")
    got = {name.lower(): value for name, value in answer["headers"]}
    assert (got["x-client"], got["user-agent"], got["accept-encoding"]) == ("\u00fc", "mine", "br")
    assert got["x-forwarded-for"] == "127.0.0.1"
    assert "origin" not in got
    assert response.headers["x-own"] == "kept"
    assert "x-dropped" not in response.headers
    assert len(response.headers.get_list("date")) == 1


async def test_a_stream_passes_event_by_event_and_ends_with_its_client(supervisor: Supervisor) -> None:
    await supervisor.client.get("/info")

    async def num_lost() -> int:
        async with httpx.AsyncClient(base_url=supervisor.model("a").url) as child:
            return int((await child.get("/lost")).json())

    before = await num_lost()
    async with supervisor.client.stream("POST", CHAT, json=chat("a", "stream")) as response:
        lines = response.aiter_lines()
        assert [await anext(lines) for _ in range(3)] == ["data: 0", "", "data: 1"]
    for _ in range(1000):
        if await num_lost() > before:
            break
    assert await num_lost() == before + 1
    await until(lambda: not supervisor.model("a").is_busy)


async def test_a_stream_whose_process_dies_ends_with_the_contracts_error(supervisor: Supervisor) -> None:
    response = await supervisor.client.post(CHAT, json=chat("a", "die"))
    first, error, done, rest = response.text.split("\n\n")
    assert (first, done, rest) == ("data: 0", "data: [DONE]", "")
    message = json.loads(error.removeprefix("data: "))["error"]["message"]
    assert message == "The process of the model 'a' has ended"
    await until(lambda: supervisor.model("a").state is State.STOPPED)


async def test_a_process_that_dies_is_started_again(supervisor: Supervisor) -> None:
    lost = await supervisor.client.post(CHAT, json=chat("a", "die at once"))
    assert (lost.status_code, lost.headers["retry-after"]) == (503, "1")
    await until(lambda: supervisor.model("a").state is State.STOPPED)
    assert (await supervisor.client.post(CHAT, json=chat("a"))).json()["name"] == "a"


@pytest.mark.parametrize(
    ("path", "status"),
    [(CHAT, 503), ("/v1/messages", 529), ("/tgi/v1/chat/completions", 503), ("/complete", 503)],
)
async def test_a_model_that_cannot_start_is_told_in_the_contracts_error(
    supervisor: Supervisor, path: str, status: int
) -> None:
    response = await supervisor.client.post(path, json=chat("fails"))
    assert response.status_code == status
    assert "The model 'fails' cannot be started: there is no such model" in response.text
    assert response.headers["content-type"] == "application/json"


async def test_a_client_that_leaves_while_its_model_starts_waits_no_longer() -> None:
    async with running_supervisor() as supervisor:
        with pytest.raises(httpx.ReadTimeout):
            await supervisor.client.post(CHAT, json=chat("a"), timeout=0.2)
        await until(lambda: not supervisor.model("a").is_busy)


async def test_a_wait_is_bounded() -> None:
    async with running_supervisor(model_start_timeout=0.05) as supervisor:
        response = await supervisor.client.post(CHAT, json=chat("a"))
        assert (response.status_code, response.headers["retry-after"]) == (503, "1")
        assert "still starting" in response.text


@pytest.mark.parametrize(("method", "path"), [("POST", CHAT), ("GET", "/info"), ("GET", "/playground/about")])
async def test_no_model_starts_for_a_request_without_a_key(method: str, path: str) -> None:
    async with running_supervisor(api_key="secret") as supervisor:
        body: dict[str, Any] = {"json": chat("a")} if method == "POST" else {}
        assert (await supervisor.client.request(method, path, **body)).status_code == 401
        assert supervisor.model("a").state is State.STOPPED
        keys = {"authorization": "Bearer secret"}
        answer = await supervisor.client.request(method, path, headers=keys, **body)
        assert answer.json()["name"] == "a"


async def test_a_body_that_is_too_large_is_refused_before_its_model_starts() -> None:
    async with running_supervisor(payload_limit=10) as supervisor:
        assert (await supervisor.client.post(CHAT, json=chat("a"))).status_code == 413
        assert supervisor.model("a").state is State.STOPPED


async def test_an_unknown_path_is_the_supervisors(supervisor: Supervisor) -> None:
    response = await supervisor.client.get("/v1/nothing")
    assert response.status_code == 404
    assert response.json()["error"]["message"]
