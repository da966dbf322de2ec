"""A path's names are looked up before the body is read; a body may be absent or of any media type."""

from typing import Any

import pytest
from fastapi import FastAPI

from tests.unit.verbatim_kit.runtime.client import send
from tests.unit.verbatim_kit.runtime.notes import FindArguments, Note, NoteHandlers, NotesContract, serve
from verbatim_kit.runtime.operation import Operation
from verbatim_kit.runtime.problem import Problem
from verbatim_kit.runtime.server import ContractServer

SHELF = "/shelves/a/sweep"


class Shelves(NoteHandlers):
    """There is one shelf, a."""

    def __init__(self, **answers: Any) -> None:
        super().__init__(**answers)
        self.refusals: list[str] = []

    def look_up(self, operation: Operation, arguments: FindArguments | None) -> None:
        if operation.id == "sweep" and arguments is not None and arguments.name != "a":
            raise Problem(404, f"no shelf {arguments.name}")

    def refused(self, operation: Operation, problem: Problem) -> None:
        self.refusals.append(problem.message)


def shelves(handlers: NoteHandlers) -> ContractServer:
    server = ContractServer(FastAPI(openapi_url=None))
    server.mount(NotesContract(), handlers)
    return server


async def test_what_the_path_names_is_refused_before_the_body_is_read() -> None:
    handlers = Shelves(sweep=lambda **_: None)
    response = await send(shelves(handlers), "POST", "/shelves/b/sweep", content=b"{")
    assert (response.status_code, response.json()["reason"]) == (404, "no shelf b")
    assert handlers.refusals == ["no shelf b"]


async def test_a_path_that_names_what_is_there_goes_on_to_its_body() -> None:
    seen: list[Note | None] = []
    app = shelves(Shelves(sweep=lambda body, **_: seen.append(body)))
    refused = await send(app, "POST", SHELF, json={"text": ""})
    assert (refused.status_code, refused.json()["reason"]) == (400, "text: must have at least 1 character")
    assert (await send(app, "POST", SHELF, json={"text": "a"})).status_code == 200
    assert seen == [Note(text="a")]


async def test_an_operation_without_parameters_is_looked_up_too() -> None:
    pings: list[object] = []
    app = shelves(Shelves(ping=lambda call, **_: pings.append(call)))
    assert (await send(app, "GET", "/ping")).status_code == 200
    assert len(pings) == 1


@pytest.mark.parametrize("headers", [{}, {"content-type": "text/csv"}])
async def test_an_optional_body_that_is_absent_is_none(headers: dict[str, str]) -> None:
    seen: list[Note | None] = []
    app = serve(sweep=lambda body, **_: seen.append(body))
    assert (await send(app, "POST", SHELF, headers=headers)).status_code == 200
    assert seen == [None]


@pytest.mark.parametrize("content_type", ["application/x-www-form-urlencoded", "application/json", ""])
async def test_a_body_of_any_media_type_is_read_as_json_where_the_document_says_so(content_type: str) -> None:
    seen: list[Note | None] = []
    app = serve(sweep=lambda body, **_: seen.append(body))
    headers = {"content-type": content_type}
    response = await send(app, "POST", SHELF, content=b'{"text": "a"}', headers=headers)
    assert response.status_code == 200
    assert seen == [Note(text="a")]


async def test_an_optional_body_that_is_there_must_be_json() -> None:
    response = await send(serve(sweep=lambda **_: None), "POST", SHELF, content=b"{")
    assert response.status_code == 400
    assert response.json()["reason"].startswith("Invalid JSON: EOF while parsing an object")
