"""Only answers that the operation declares, and the contract's errors, leave the server."""

import logging
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from fastapi import FastAPI

from tests.unit.verbatim_kit.runtime.client import send
from tests.unit.verbatim_kit.runtime.notes import Kept, Note, NoteHandlers, NotesContract, serve
from verbatim_kit.runtime.operation import EncodedAnswer, FileContent
from verbatim_kit.runtime.problem import Problem
from verbatim_kit.runtime.server import ContractServer

NOTE = {"text": "a"}


def raiser(error: Exception) -> Callable[..., Any]:
    def handler(**_: object) -> None:
        raise error

    return handler


async def test_text_and_empty_answers_have_the_declared_form() -> None:
    app = serve(read=lambda call: "é 1\n", ping=lambda call: None)
    text = await send(app, "GET", "/notes")
    assert (text.headers["content-type"], text.text) == ("text/plain; charset=utf-8", "é 1\n")
    empty = await send(app, "GET", "/ping")
    assert (empty.status_code, empty.content, "content-type" in empty.headers) == (200, b"", False)


async def pieces(*content: bytes) -> AsyncIterator[bytes]:
    for piece in content:
        yield piece


async def test_a_file_comes_in_pieces_with_its_length() -> None:
    app = serve(picture=lambda call: FileContent(5, pieces(b"\xff\x00", b"", b"abc")))
    for method, content in (("GET", b"\xff\x00abc"), ("HEAD", b"")):
        response = await send(app, method, "/picture")
        assert (response.status_code, response.content) == (200, content)
        assert response.headers["content-type"] == "application/octet-stream"
        assert response.headers["content-length"] == "5"


async def test_a_file_is_no_bytes_and_no_answer_of_another_operation() -> None:
    assert (await send(serve(picture=lambda call: b"abc"), "GET", "/picture")).status_code == 500
    answer = serve(write=lambda body, call: FileContent(0, pieces()))
    assert (await send(answer, "POST", "/notes", json=NOTE)).status_code == 500


async def test_head_answers_as_get_without_the_body() -> None:
    app = serve(read=lambda call: "four")
    response = await send(app, "HEAD", "/notes")
    assert (response.status_code, response.headers["content-length"], response.content) == (200, "4", b"")


async def test_a_declared_problem_is_answered_in_the_contracts_words() -> None:
    problem = Problem(429, "Full", "busy", {"retry-after": "3"})
    response = await send(serve(write=raiser(problem)), "POST", "/notes", json=NOTE)
    assert (response.status_code, response.json()) == (429, {"reason": "Full", "kind": "busy"})
    assert response.headers["retry-after"] == "3"


async def test_a_problem_whose_body_is_declared_empty_has_none() -> None:
    response = await send(serve(ping=raiser(Problem(503, "Down"))), "GET", "/ping")
    assert (response.status_code, response.content) == (503, b"")


@pytest.mark.parametrize(
    "answer",
    [
        lambda body, call: None,
        lambda body, call: Note(text="a"),
        lambda body, call: {"id": 1, "text": "a"},
        lambda body, call: [Kept(id=1, text="a")],
        lambda body, call: call.respond_with({"x-undeclared": "1"}),
        raiser(Problem(418, "Undeclared")),
        raiser(ValueError("Unforeseen")),
    ],
)
async def test_what_the_operation_does_not_declare_becomes_its_500_and_a_log_entry(
    answer: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, "verbatim_kit.runtime"):
        response = await send(serve(write=answer), "POST", "/notes", json=NOTE)
    assert response.status_code == 500
    assert response.json() == {"reason": "Internal server error", "kind": "internal"}
    assert [record.exc_info is not None for record in caplog.records] == [True]


async def test_an_undeclared_status_goes_to_the_server_where_500_is_undeclared_too() -> None:
    with pytest.raises(RuntimeError, match="keep declares no status 429: Full"):
        await send(serve(keep=raiser(Problem(429, "Full"))), "PUT", "/shelves/a", json=NOTE)
    with pytest.raises(RuntimeError, match="ping declares no status 500"):
        await send(serve(ping=raiser(ValueError("Unforeseen"))), "GET", "/ping")


async def test_a_required_response_header_cannot_be_forgotten() -> None:
    app = serve(keep=lambda arguments, body, call: Kept(id=1, text="a"))
    with pytest.raises(RuntimeError, match="keep declares no status 500") as raised:
        await send(app, "PUT", "/shelves/a", json=NOTE)
    assert "Internal server error" in str(raised.value)


async def test_a_call_tells_of_the_request_and_takes_the_answers_headers() -> None:
    seen: list[tuple[str, str]] = []

    def write(body: Note, call: Any) -> Kept:
        seen.append((call.path, call.headers["user-agent"]))
        call.respond_with({"x-shelf": 3.5})
        return Kept(id=1, text="a")

    response = await send(
        serve("/notes", write=write), "POST", "/notes/notes", json=NOTE, headers={"user-agent": "me"}
    )
    assert (response.headers["x-shelf"], seen) == ("3.5", [("/notes/notes", "me")])


@pytest.mark.parametrize("prefix", ["", "/notes"])
async def test_unknown_paths_and_methods_carry_the_contracts_error(prefix: str) -> None:
    app = serve(prefix)
    missing = await send(app, "GET", f"{prefix}/nothing")
    assert (missing.status_code, missing.json()["kind"]) == (404, "not_found")
    for path, allowed in (("/notes", "GET, HEAD, POST"), ("/shelves/a", "PUT")):
        refused = await send(app, "DELETE", prefix + path)
        assert (refused.status_code, refused.json()["kind"]) == (405, "method_not_allowed")
        assert refused.headers["allow"] == allowed


async def test_paths_outside_every_contract_are_not_found_in_plain_words() -> None:
    response = await send(serve("/notes"), "GET", "/")
    assert (response.status_code, response.text) == (404, "Nothing is served at /")


async def test_the_first_contract_to_claim_a_path_at_the_root_keeps_it_with_all_its_methods() -> None:
    server = ContractServer(FastAPI(openapi_url=None))
    first = server.mount(NotesContract(), NoteHandlers(read=lambda call: "first"))
    second = server.mount(NotesContract(), NoteHandlers(read=lambda call: "second"))
    assert ([operation.id for operation in first], second) == (
        ["write", "keep", "read", "watch", "sweep", "follow", "tail", "find", "picture", "ping"],
        [],
    )
    assert (await send(server, "GET", "/notes")).text == "first"


async def test_a_prefix_is_for_one_contract_which_serves_its_document_there() -> None:
    server = serve("/notes")
    assert (await send(server, "GET", "/notes/openapi.json")).content == NotesContract().document()
    with pytest.raises(ValueError, match="/notes is taken by notes"):
        server.mount(NotesContract(), NoteHandlers(), "/notes")


async def test_a_proxys_prefix_is_not_part_of_the_path() -> None:
    transport_path = "/proxy/notes"
    app = serve(read=lambda call: "here")

    async def behind_proxy(scope: Any, receive: Any, forward: Any) -> None:
        await app({**scope, "root_path": "/proxy"}, receive, forward)

    assert (await send(behind_proxy, "GET", transport_path)).text == "here"


async def test_an_answer_that_is_text_already_leaves_as_it_is() -> None:
    app = serve(write=lambda body, call: EncodedAnswer(b'{"id": 1}'))
    response = await send(app, "POST", "/notes", json=NOTE)
    assert (response.status_code, response.content) == (200, b'{"id": 1}')
    assert (response.headers["content-type"], response.headers["content-length"]) == ("application/json", "9")
