"""Headers of every answer: whole, streamed, refused or for a path that the contract does not have."""

import re
from collections.abc import Mapping
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from typing_extensions import override

from tests.unit.verbatim_kit.runtime.client import send
from tests.unit.verbatim_kit.runtime.notes import Kept, NoteHandlers, NotesContract, serve, stream_of
from verbatim_kit.runtime.call import RequestCall
from verbatim_kit.runtime.problem import Problem
from verbatim_kit.runtime.server import ContractServer

NOTE = {"text": "a"}


class NamingContract(NotesContract):
    """Sends the request's name with every answer, which the document declares for one operation alone."""

    @override
    def headers(self, call: RequestCall) -> Mapping[str, str]:
        return {"x-shelf": call.request_id}


def naming(prefix: str = "", **answers: Any) -> ContractServer:
    server = ContractServer(FastAPI(openapi_url=None, docs_url=None, redoc_url=None))
    server.mount(NamingContract(), NoteHandlers(**answers), prefix)
    return server


def fail(**_: object) -> None:
    raise Problem(429, "Full", "busy", retry_after_s=1)


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (lambda body, call: Kept(id=1, text="a"), 200),
        (lambda body, call: stream_of(Kept(id=1, text="a")), 200),
        (lambda body, call: stream_of(Problem(429, "Full")), 429),
        (fail, 429),
        (lambda body, call: 1 / 0, 500),
    ],
)
async def test_every_answer_of_an_operation_carries_them(answer: Any, status: int) -> None:
    response = await send(naming(write=answer), "POST", "/notes", json=NOTE, headers={"x-request-id": "mine"})
    assert (response.status_code, response.headers["x-shelf"]) == (status, "mine")


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        ({"json": {}}, 422),
        ({"content": b"{}"}, 415),
        ({"content": b"{}", "headers": {"content-length": "9999999"}}, 413),
    ],
)
async def test_refusals_before_the_handler_carry_them(request_: dict[str, Any], status: int) -> None:
    content_type = {} if status == 415 else {"content-type": "application/json"}
    headers = {"x-request-id": "mine", **content_type, **request_.pop("headers", {})}
    response = await send(naming(), "POST", "/notes", headers=headers, **request_)
    assert (response.status_code, response.headers["x-shelf"]) == (status, "mine")


@pytest.mark.parametrize("prefix", ["", "/notes"])
async def test_answers_for_no_operation_carry_them(prefix: str) -> None:
    for method, path, status in (("GET", "/nothing", 404), ("DELETE", "/notes", 405)):
        response = await send(naming(prefix), method, prefix + path, headers={"x-request-id": "mine"})
        assert (response.status_code, response.headers["x-shelf"]) == (status, "mine")


async def test_a_header_that_the_operation_does_not_declare_is_not_sent_with_its_success() -> None:
    with pytest.raises(RuntimeError, match="read declares no status 500"):
        await send(naming(read=lambda call: "a"), "GET", "/notes")


async def request_id(*given: str) -> str:
    seen: list[str] = []

    def write(body: object, call: RequestCall) -> Kept:
        seen.append(call.request_id)
        return Kept(id=1, text="a")

    headers = [("x-request-id", value.encode("latin-1")) for value in given]
    response: httpx.Response = await send(naming(write=write), "POST", "/notes", json=NOTE, headers=headers)
    assert seen == [response.headers["x-shelf"]], "the handler and the client know it by one name"
    return seen[0]


@pytest.mark.parametrize("given", ["a", "0f2d-4b_c.d:e~f", "x" * 128, "req_1=2+3@host"])
async def test_the_clients_name_for_a_request_is_kept(given: str) -> None:
    assert await request_id(given) == given


@pytest.mark.parametrize("given", [(), ("",), ("x" * 129,), ("a b",), ('a"b',), ("a,b",), ("\xe9",)])
async def test_a_request_without_a_fit_name_gets_one_of_its_own(given: tuple[str, ...]) -> None:
    names = {await request_id(*given) for _ in range(3)}
    assert len(names) == 3
    assert all(re.fullmatch("req_[0-9a-f]{32}", name) for name in names)


@pytest.mark.parametrize(("seconds", "header"), [(1, "1"), (0.2, "1"), (5.01, "6"), (0, "0")])
async def test_when_to_try_again_is_told_in_whole_seconds(seconds: float, header: str) -> None:
    def write(**_: object) -> None:
        raise Problem(429, "Full", retry_after_s=seconds)

    response = await send(serve(write=write), "POST", "/notes", json=NOTE)
    assert response.headers["retry-after"] == header
    assert "retry-after" not in (await send(serve(), "POST", "/notes", json={})).headers
