"""The middleware in Ray's proxies: no request is left with a cut stream or an answer of Ray's own."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import httpx
import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from handlers.composition import CONTRACTS
from handlers.ray import proxy as proxy_module
from handlers.ray.proxy import WholeAnswers, middlewares
from tests.unit.verbatim_kit.runtime.client import events, send

ROOT = ("openai", "tgi")
STREAMS = [
    (name, operation.path, operation.event_media_type)
    for name, served in CONTRACTS.items()
    for operation in served.table
    if operation.event is not None and operation.method == "POST"
]
FRAME = b'data: {"n":1}\n\n'


@pytest.fixture(scope="module", autouse=True)
def contracts_are_loaded_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proxy_module, "_lost_replica", cache(proxy_module._lost_replica))
        yield


def start(status: int, media_type: str) -> Message:
    headers = [(b"content-type", media_type.encode())]
    return {"type": "http.response.start", "status": status, "headers": headers}


def body(data: bytes, *, more: bool) -> Message:
    return {"type": "http.response.body", "body": data, "more_body": more}


def proxy(*messages: Message) -> ASGIApp:
    """Ray's proxy, which returns after these messages, whether they are a whole answer or not."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        for message in messages:
            await send(message)

    return app


def whole(*messages: Message, prefix: str = "/") -> ASGIApp:
    return WholeAnswers(proxy(*messages), ROOT, prefix)


def path_of(template: str) -> str:
    return template.replace("{model_name}", "m").replace("{model_version}", "1")


@pytest.mark.parametrize(("name", "template", "media_type"), STREAMS, ids=lambda value: str(value))
async def test_a_cut_stream_of_every_contract_ends_with_its_error_event(
    name: str, template: str, media_type: str
) -> None:
    app = whole(start(200, media_type), body(FRAME, more=True))
    response = await send(app, "POST", f"/{name}{path_of(template)}", json={})
    operation = next(each for each in CONTRACTS[name].table if each.path == template)
    first, *last = response.text.removesuffix("\n\n").split("\n\n")
    assert first == FRAME.decode().strip()
    if operation.terminator:
        assert last.pop() == f"data: {operation.terminator}"
    [error] = last
    assert "gone" in error and ("event: " in error) == bool(operation.event_name)


@pytest.mark.parametrize("name", CONTRACTS)
async def test_a_request_whose_replica_is_lost_before_the_answer_gets_the_contracts_error(name: str) -> None:
    operation = next(each for each in CONTRACTS[name].table if 404 in each.errors or each.event is not None)
    response = await send(whole(), "POST", f"/{name}{path_of(operation.path)}", json={})
    assert response.status_code in (503, 529) and response.status_code in operation.errors
    assert response.headers["retry-after"].isdigit()
    declared = operation.errors[response.status_code]
    assert declared is not None
    declared.model_validate(response.json(), strict=True)


async def test_rays_own_refusal_becomes_the_contracts() -> None:
    ray = start(503, "text/plain; charset=utf-8"), body(b"Request dropped due to backpressure", more=False)
    response = await send(whole(*ray), "POST", "/v1/chat/completions", json={})
    assert response.status_code == 503
    assert response.json()["error"]["code"] == "service_unavailable"


async def test_a_status_that_no_document_declares_is_not_passed_on() -> None:
    ray = start(408, "text/plain"), body(b"timed out", more=False)
    assert (await send(whole(*ray), "POST", "/tgi/generate", json={})).status_code == 503


async def test_a_request_for_no_operation_is_left_to_the_proxy() -> None:
    sent = await messages(whole(), "/v1/nothing")
    assert sent == []
    ray = [start(503, "text/plain"), body(b"Ray's own", more=False)]
    assert await messages(whole(*ray), "/v1/nothing") == ray


async def test_the_error_has_the_identifier_that_the_proxy_gave_the_request() -> None:
    async def names(scope: Scope, receive: Receive, send: Send) -> None:
        scope["headers"] = [*scope["headers"], (b"x-request-id", b"of-ray")]

    response = await send(WholeAnswers(names, ROOT, "/"), "POST", "/v1/chat/completions", json={})
    assert response.headers["x-request-id"] == "of-ray"


@pytest.mark.parametrize("status", [200, 429, 500])
async def test_whole_answers_pass_as_they_are(status: int) -> None:
    answer = start(status, "application/json"), body(b'{"a":', more=True), body(b"1}", more=False)
    response = await send(whole(*answer), "POST", "/v1/chat/completions", json={})
    assert (response.status_code, response.json()) == (status, {"a": 1})


async def test_whole_streams_pass_as_they_are() -> None:
    answer = start(200, "text/event-stream"), body(FRAME, more=True), body(b"data: [DONE]\n\n", more=False)
    response = await send(whole(*answer), "POST", "/v1/chat/completions", json={})
    assert events(response) == ['{"n":1}', "[DONE]"]


async def test_a_cut_answer_that_is_no_stream_is_left_cut() -> None:
    answer = [start(200, "application/json"), body(b'{"a":', more=True)]
    assert await messages(whole(*answer), "/v1/chat/completions") == answer


@pytest.mark.parametrize("path", ["/-/healthz", "/other/v1/chat/completions", "/"])
async def test_other_applications_of_the_cluster_are_left_alone(path: str) -> None:
    ray = start(503, "text/plain"), body(b"Ray's own", more=False)
    response = await send(whole(*ray, prefix="/verbatim"), "GET", path)
    assert (response.status_code, response.text) == (503, "Ray's own")


async def test_paths_are_found_under_the_applications_prefix() -> None:
    app = whole(prefix="/verbatim")
    response = await send(app, "POST", "/verbatim/tgi/generate", json={})
    assert response.json()["error_type"] == "unavailable"


async def test_ray_gets_the_middleware_with_the_roots_and_the_prefix_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("VERBATIM_ROOT", " mindie,")
    monkeypatch.setenv("VERBATIM_PORT", "of no concern to proxies")
    monkeypatch.setenv("VERBATIM_ROUTE_PREFIX", "/a")
    [middleware] = middlewares()
    app = middleware.cls(proxy(), *middleware.args, **middleware.kwargs)
    response: httpx.Response = await send(app, "POST", "/a/v1/chat/completions", json={})
    assert set(json.loads(response.text)) == {"error", "error_type"}


async def messages(app: ASGIApp, path: str) -> list[Message]:
    """Return what the application sends, whole or not."""
    sent: list[Message] = []

    async def receive() -> Message:
        raise AssertionError("nothing is read")

    async def collect(message: Message) -> None:
        sent.append(message)

    scope: dict[str, Any] = {
        "type": "http",
        "method": "POST",
        "path": path,
        "headers": [],
        "query_string": b"",
    }
    await app(scope, receive, collect)
    return sent
