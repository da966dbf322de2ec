"""A server that judges its own answers keeps back what its document does not state, or tells the log."""

import json
import logging
from collections.abc import Callable
from typing import Any, ClassVar

import httpx
import pytest
from fastapi import FastAPI
from typing_extensions import override

from tests.unit.verbatim_kit.runtime.notes import Kept, NoteHandlers, NotesContract, stream_of
from verbatim_kit.judge.endpoint import CheckedEndpoints
from verbatim_kit.runtime.call import RequestCall
from verbatim_kit.runtime.contract import Contract
from verbatim_kit.runtime.problem import Problem
from verbatim_kit.runtime.runtime_options import RuntimeOptions
from verbatim_kit.runtime.server import ContractServer

KEPT = {
    "type": "object",
    "required": ["id", "text"],
    "properties": {"id": {"type": "integer", "minimum": 0}, "text": {"type": "string"}},
}
FAILURE: dict[str, Any] = {
    "type": "object",
    "required": ["reason", "kind"],
    "properties": {"reason": {"type": "string"}, "kind": {"type": "string"}},
}
ASKED = {"properties": {"stars": {"const": 5}}, "required": ["stars"]}
STREAM = {
    "schema": {"anyOf": [KEPT, FAILURE]},
    "x-sse-terminator": "[DONE]",
    "x-stream": [
        {"counts": {"/id": 1}, "failure": {"required": ["reason"]}},
        {"when": ASKED, "last": {"properties": {"text": {"const": "end"}}}},
    ],
}


def answer(schema: Any) -> dict[str, Any]:
    return {"description": "", "content": {"application/json": {"schema": schema}}}


WRITE = {
    "200": {"content": {"application/json": {"schema": KEPT}, "text/event-stream": STREAM}},
    **{str(status): answer(FAILURE) for status in (401, 413, 415, 429, 500)},
    "422": answer({**FAILURE, "properties": {**FAILURE["properties"], "kind": {"const": "validation"}}}),
}
READ = {"200": {"content": {"text/plain": {"schema": {"type": "string", "maxLength": 3}}}}}
DOCUMENT = {
    "openapi": "3.1.1",
    "paths": {
        "/notes": {
            "post": {"operationId": "write", "responses": WRITE},
            "get": {"operationId": "read", "responses": READ},
        }
    },
}
NOTE = {"text": "a"}


class Notes(NotesContract):
    @override
    def document(self) -> bytes:
        return json.dumps(DOCUMENT).encode()


class Handlers(NoteHandlers):
    table: ClassVar[Any] = tuple(operation for operation in NoteHandlers.table if operation.path == "/notes")


def client(
    refuses: bool = True, contract: Contract | None = None, **answers: Callable[..., Any]
) -> httpx.AsyncClient:
    shell = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    server = ContractServer(shell, RuntimeOptions(), CheckedEndpoints(refuses=refuses))
    server.mount(contract or Notes(), Handlers(**answers))
    return httpx.AsyncClient(transport=httpx.ASGITransport(server), base_url="http://notes")


async def write(made: httpx.AsyncClient, note: Any = None) -> httpx.Response:
    async with made:
        return await made.post("/notes", json=note or NOTE)


def kept(number: int, text: str = "a") -> Kept:
    return Kept(id=number, text=text)


async def test_an_answer_that_is_as_declared_leaves_as_it_is() -> None:
    response = await write(client(write=lambda **_: kept(1)))
    assert (response.status_code, response.json()) == (200, {"id": 1, "text": "a"})
    response = await write(client(write=lambda **_: stream_of(kept(1), kept(2))))
    assert response.text == 'data: {"id":1,"text":"a"}\n\ndata: {"id":2,"text":"a"}\n\ndata: [DONE]\n\n'
    async with client(read=lambda **_: "abc") as made:
        assert (await made.head("/notes")).headers["content-length"] == "3"


async def test_an_answer_that_is_not_becomes_the_contracts_500(caplog: pytest.LogCaptureFixture) -> None:
    response = await write(client(write=lambda **_: kept(-1)))
    assert response.status_code == 500
    assert response.json() == {"reason": "Internal server error", "kind": "internal"}
    assert "write body/id: -1 is less than the minimum of 0" in caplog.messages


async def test_an_error_answer_that_is_not_becomes_the_contracts_500() -> None:
    def refuse(**_: Any) -> None:
        raise Problem(422, "No", "other")

    response = await write(client(write=refuse))
    assert (response.status_code, response.json()["kind"]) == (500, "internal")


async def test_a_stream_whose_first_event_is_not_becomes_the_contracts_500() -> None:
    response = await write(client(write=lambda **_: stream_of(kept(2))))
    assert (response.status_code, response.json()["kind"]) == (500, "internal")


async def test_a_stream_that_has_begun_ends_with_the_contracts_error_event() -> None:
    response = await write(client(write=lambda **_: stream_of(kept(1), kept(3), pause_s=0.001)))
    assert response.status_code == 200
    assert response.text == (
        'data: {"id":1,"text":"a"}\n\ndata: {"reason":"Internal server error","kind":"internal"}\n\n'
        "data: [DONE]\n\n"
    )


async def test_what_a_stream_lacks_at_its_end_is_told_by_an_error_event() -> None:
    asked = {**NOTE, "stars": 5}
    whole = await write(client(write=lambda **_: stream_of(kept(1), kept(2, "end"), pause_s=0.001)), asked)
    assert "Internal" not in whole.text
    cut = await write(client(write=lambda **_: stream_of(kept(1), kept(2), pause_s=0.001)), asked)
    assert cut.text.endswith('data: {"reason":"Internal server error","kind":"internal"}\n\ndata: [DONE]\n\n')


async def test_a_failure_of_the_handler_is_told_as_ever() -> None:
    failing = stream_of(kept(1), Problem(429, "Busy", "busy"), pause_s=0.001)
    response = await write(client(write=lambda **_: failing))
    assert '"kind":"busy"' in response.text


async def test_what_is_only_logged_leaves(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    response = await write(client(refuses=False, write=lambda **_: kept(-1)))
    assert (response.status_code, response.json()["id"]) == (200, -1)
    assert "write body/id: -1 is less than the minimum of 0" in caplog.messages
    caplog.clear()
    response = await write(client(refuses=False, write=lambda **_: stream_of(kept(5), pause_s=0.001)))
    assert response.text == 'data: {"id":5,"text":"a"}\n\ndata: [DONE]\n\n'
    assert caplog.messages == ["write event 0/id: 5 should be 1"]


class Talkative(Notes):
    @override
    def headers(self, call: RequestCall) -> dict[str, str]:
        return {"content-type": "text/html"}


async def test_a_header_is_judged_before_a_stream_begins(caplog: pytest.LogCaptureFixture) -> None:
    response = await write(client(contract=Talkative(), write=lambda **_: stream_of(kept(1))))
    assert (response.status_code, response.json()["kind"]) == (500, "internal")
    assert "content-type" in caplog.text
