"""Two contracts in one server: each path has one owner, in whose words all of its errors are."""

import json
from collections.abc import Mapping
from typing import Any, ClassVar

import pytest
from fastapi import FastAPI
from pydantic import BaseModel, StrictStr
from starlette.types import Message
from typing_extensions import override

from tests.unit.verbatim_kit.runtime.client import send
from tests.unit.verbatim_kit.runtime.notes import NoteHandlers, NotesContract
from verbatim_kit.runtime.call import RequestCall
from verbatim_kit.runtime.contract import Contract
from verbatim_kit.runtime.operation import Call, Handlers, Operation
from verbatim_kit.runtime.problem import Problem
from verbatim_kit.runtime.server import ContractServer


class Trouble(BaseModel):
    trouble: StrictStr


class OtherHandlers(Handlers):
    """Has `GET /notes` in common with the notes, and a template that matches what one of theirs does."""

    table: ClassVar = (
        Operation(
            id="list", handler="list", method="GET", path="/notes", summary="", response=str,
            media_type="text/plain",
        ),
        Operation(id="drop", handler="drop", method="DELETE", path="/shelves/{number}", summary=""),
        Operation(id="own", handler="own", method="POST", path="/own", summary=""),
    )  # fmt: skip

    async def list(self, call: Call[dict[str, str]]) -> str:
        return "other"

    async def drop(self, call: Call[dict[str, str]]) -> None: ...

    async def own(self, call: Call[dict[str, str]]) -> None: ...


class OtherContract(Contract):
    name = "other"

    @override
    def error_body(self, problem: Problem, operation: Operation | None, call: RequestCall) -> Trouble:
        return Trouble(trouble=problem.kind)

    @override
    def headers(self, call: RequestCall) -> Mapping[str, str]:
        return {}

    @override
    def document(self) -> bytes:
        return b'{"openapi": "3.1.1", "info": {"title": "Other", "version": "1"}, "paths": {}}'


NOTES: tuple[Contract, Handlers] = (NotesContract(), NoteHandlers(read=lambda call: "notes"))
OTHER: tuple[Contract, Handlers] = (OtherContract(), OtherHandlers())


def serve(*root: tuple[Contract, Handlers]) -> ContractServer:
    server = ContractServer(FastAPI(openapi_url=None, docs_url=None, redoc_url=None))
    for contract, handlers in root:
        server.mount(contract, handlers)
    for contract, handlers in (NOTES, OTHER):
        server.mount(contract, handlers, f"/{contract.name}")
    return server


@pytest.mark.parametrize(
    ("root", "text", "allowed", "words"),
    [((NOTES, OTHER), "notes", "GET, HEAD, POST", "kind"), ((OTHER, NOTES), "other", "GET, HEAD", "trouble")],
)
async def test_a_path_that_both_claim_is_the_first_ones_with_all_its_methods(
    root: Any, text: str, allowed: str, words: str
) -> None:
    server = serve(*root)
    assert (await send(server, "GET", "/notes")).text == text
    refused = await send(server, "PATCH", "/notes")
    assert (refused.status_code, refused.headers["allow"]) == (405, allowed)
    assert words in refused.json()


async def test_a_method_that_only_the_second_has_is_not_allowed_on_the_firsts_path() -> None:
    refused = await send(serve(NOTES, OTHER), "DELETE", "/shelves/3")
    assert (refused.status_code, refused.headers["allow"]) == (405, "PUT")
    assert refused.json()["kind"] == "method_not_allowed"
    refused = await send(serve(OTHER, NOTES), "PUT", "/shelves/3")
    assert (refused.json(), refused.headers["allow"]) == ({"trouble": "method_not_allowed"}, "DELETE")


async def test_what_only_the_second_claims_is_its_own_with_its_own_errors() -> None:
    server = serve(NOTES, OTHER)
    assert (await send(server, "POST", "/own")).status_code == 200
    assert (await send(server, "GET", "/own")).json() == {"trouble": "method_not_allowed"}


async def test_a_path_that_nobody_has_is_told_by_the_first_at_the_root() -> None:
    assert "kind" in (await send(serve(NOTES, OTHER), "GET", "/nothing")).json()
    assert "trouble" in (await send(serve(OTHER, NOTES), "GET", "/nothing")).json()


@pytest.mark.parametrize("path", ["*", "", "//", "/\0", "?"])
async def test_a_path_like_no_other_is_told_by_the_first_at_the_root_too(path: str) -> None:
    """`OPTIONS *` asks about the server as a whole (RFC 9112, section 3.2.4), and was a 500."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request"}

    async def keep(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "OPTIONS", "path": path, "headers": [], "query_string": b""}
    await serve(NOTES, OTHER)(scope, receive, keep)
    assert sent[0]["status"] == 404
    assert "kind" in json.loads(sent[1]["body"])


async def test_a_path_beside_ones_own_is_told_by_who_has_those() -> None:
    assert "trouble" in (await send(serve(NOTES, OTHER), "GET", "/own/nothing")).json()
    assert "kind" in (await send(serve(OTHER, NOTES), "GET", "/log/nothing")).json()


async def test_a_prefix_is_its_contracts_even_where_another_has_a_path_of_that_name() -> None:
    assert "kind" in (await send(serve(OTHER, NOTES), "GET", "/notes/nothing")).json()


@pytest.mark.parametrize("root", [(), (NOTES, OTHER), (OTHER, NOTES)])
async def test_under_its_prefix_each_is_whole_and_speaks_for_itself(root: Any) -> None:
    server = serve(*root)
    assert (await send(server, "GET", "/notes/notes")).text == "notes"
    assert (await send(server, "GET", "/other/notes")).text == "other"
    assert (await send(server, "DELETE", "/other/shelves/3")).status_code == 200
    assert "trouble" in (await send(server, "GET", "/other/nothing")).json()
    assert "kind" in (await send(server, "DELETE", "/notes/shelves/3")).json()
