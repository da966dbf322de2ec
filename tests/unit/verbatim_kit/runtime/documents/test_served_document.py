"""A document is served in the version of OpenAPI that is asked for, and made once for each."""

import asyncio
import json
from typing import Any

import pytest
from fastapi import FastAPI
from typing_extensions import override

from tests.unit.verbatim_kit.runtime.client import send
from tests.unit.verbatim_kit.runtime.notes import NoteHandlers, NotesContract, serve
from verbatim_kit.openapi.version_3_2 import as_3_2
from verbatim_kit.runtime.documents.served_document import ServedDocument
from verbatim_kit.runtime.server import ContractServer

CONTENT: dict[str, Any] = {"text/event-stream": {"schema": {"type": "object"}, "x-sse-terminator": "[DONE]"}}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.1",
    "info": {"title": "Notes", "version": "1"},
    "paths": {"/changes": {"get": {"responses": {"200": {"description": "Changes", "content": CONTENT}}}}},
}


class Notes(NotesContract):
    @override
    def document(self) -> bytes:
        return json.dumps(DOCUMENT).encode()


def server() -> ContractServer:
    made = ContractServer(FastAPI(openapi_url=None))
    made.mount(Notes(), NoteHandlers(), "/notes")
    return made


@pytest.mark.parametrize("query", ["", "?version=3.1", "?other=1"])
async def test_a_document_is_3_1_unless_another_version_is_asked_for(query: str) -> None:
    answer = await send(server(), "GET", f"/notes/openapi.json{query}")
    assert answer.content == Notes().document()
    assert answer.headers["content-type"] == "application/json"


async def test_a_document_is_3_2_where_that_is_asked_for() -> None:
    answer = await send(server(), "GET", "/notes/openapi.json?version=3.2")
    assert answer.json() == as_3_2(DOCUMENT)
    media = answer.json()["paths"]["/changes"]["get"]["responses"]["200"]["content"]["text/event-stream"]
    assert {"itemSchema", "schema"} == media.keys()


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("version=3.3", "version: must be 3.1 or 3.2, a version of OpenAPI"),
        ("version=", "version: must be 3.1 or 3.2, a version of OpenAPI"),
        ("version=3.2&version=3.1", "version: is given more than once"),
    ],
)
async def test_another_version_is_refused_in_the_contracts_own_error(query: str, reason: str) -> None:
    answer = await send(serve("/notes"), "GET", f"/notes/openapi.json?{query}")
    assert (answer.status_code, answer.json()) == (400, {"reason": reason, "kind": "validation"})


async def test_a_document_is_made_once_however_many_ask_for_it_at_once() -> None:
    made: list[bytes] = []

    def make() -> bytes:
        made.append(Notes().document())
        return made[-1]

    shell = FastAPI(openapi_url=None)
    shell.add_route("/openapi.json", ServedDocument(make).answer)
    paths = ["/openapi.json", "/openapi.json?version=3.2"] * 3
    answers = await asyncio.gather(*(send(shell, "GET", path) for path in paths))
    assert [answer.json()["openapi"] for answer in answers] == ["3.1.1", "3.2.0"] * 3
    assert len(made) == 1
