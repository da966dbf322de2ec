"""Tests what a request must be to reach its handler, and how it is refused otherwise."""

import asyncio
import gzip
import json
from collections.abc import AsyncGenerator
from dataclasses import replace
from time import perf_counter
from typing import Any, ClassVar

import pytest
from fastapi import FastAPI
from starlette.types import Message, Scope

from handlers.access.keys.key_check import KeyCheck
from handlers.access.keys.keyring import Keyring
from tests.unit.verbatim_kit.runtime.client import send
from tests.unit.verbatim_kit.runtime.notes import (
    KeepArguments,
    Kept,
    Note,
    NoteHandlers,
    NotesContract,
    Tag,
    serve,
)
from verbatim_kit.errors import Violation
from verbatim_kit.runtime.operation import Call
from verbatim_kit.runtime.problem import InvalidRequest
from verbatim_kit.runtime.reading.request_reader import RequestReader
from verbatim_kit.runtime.runtime_options import RuntimeOptions
from verbatim_kit.runtime.server import ContractServer

JSON = {"content-type": "application/json"}
WITH_KEY = RuntimeOptions(checks_keys=KeyCheck(Keyring("secret")))


def keep(body: Note, **_: object) -> Kept:
    return Kept(id=1, text=body.text)


async def test_a_valid_body_reaches_the_handler_as_its_model() -> None:
    seen: list[Note] = []

    def write(body: Note, call: object) -> Kept:
        seen.append(body)
        return keep(body)

    body = {"text": "é\U0001f600", "stars": 3.0, "tags": ["a", {"name": "b"}], "unknown": [1]}
    response = await send(serve(write=write), "POST", "/notes", json=body)
    assert (response.status_code, response.json()) == (200, {"id": 1, "text": "é\U0001f600"})
    assert (seen[0].stars, type(seen[0].stars)) == (3, int)
    assert seen[0].tags == ["a", Tag(name="b")]


async def test_the_time_that_a_body_takes_to_arrive_is_not_the_requests() -> None:
    arrived: list[float] = []
    told: list[float] = []

    async def slow_body() -> AsyncGenerator[bytes, None]:
        yield b'{"text": '
        await asyncio.sleep(0)
        arrived.append(perf_counter())
        yield b'"a"}'

    def write(body: Note, call: Call[dict[str, str]]) -> Kept:
        told.append(call.received_s)
        return keep(body)

    await send(serve(write=write), "POST", "/notes", content=slow_body(), headers=JSON)
    assert told[0] >= arrived[0]  # which is later than when the request began


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ('{"stars": 1}', "text: is missing"),
        ('{"text": 5}', "text: must be a string"),
        ('{"text": ""}', "text: must have at least 1 character"),
        ('{"text": "a", "stars": 6}', "stars: must be less than or equal to 5"),
        ('{"text": "a", "stars": true}', "stars: must be an integer"),
        ('{"text": "a", "stars": "3"}', "stars: must be an integer"),
        ('{"text": "a", "stars": 1.5}', "stars: must be an integer"),
        ('{"text": "a", "stars": null}', "stars: must be an integer"),
        ('{"text": "a", "weight": "heavy"}', "weight: must be a number"),
        ('{"text": "a", "weight": 1e999}', "weight: must be a finite number"),
        ('{"text": "a", "stream": 1}', "stream: must be true or false"),
        ('{"text": "a", "tags": "b"}', "tags: must be an array"),
        ('{"text": "a", "tags": ["b", 5]}', "tags[1]: must be a string or an object"),
        ('{"text": "a", "tags": [{"name": ""}]}', "tags[0].name: must have at least 1 character"),
        ('{"text": "a", "tags": [{"title": "b"}]}', "tags[0].name: is missing"),
        ("[]", "The body must be an object"),
        ("null", "The body must be an object"),
        ('"text"', "The body must be an object"),
    ],
)
async def test_an_invalid_body_is_refused_by_the_field_at_fault(body: str, reason: str) -> None:
    response = await send(serve(write=keep), "POST", "/notes", content=body, headers=JSON)
    assert response.status_code == 422
    assert response.json() == {"reason": reason, "kind": "validation"}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"   ",
        b"text",
        b'{"text": "a"',
        b'{"text": "a"}{}',
        b"{'text': 'a'}",
        b'{"text": "a",}',
        b'\xef\xbb\xbf{"text": "a"}',
        b'{"text": "\xff"}',
        b'{"text": "\xed\xa0\x80"}',
        b'{"text": "\\ud800"}',
        b'{"text": "\\udc00 alone"}',
        b'{"text": "a\nb"}',
        b'{"text": "a", "extra": NaN}',
        b'{"text": "a", "extra": [{"deep": -Infinity}]}',
        b'{"text": "NaN 1e999", "extra": [NaN]}',
        b'{"text": "a", "weight": NaN}',
        b'{"text": "a", "stars": ' + b"1" * 5000 + b"}",
        b'{"text": "a", "extra": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"text": "a", "extra": ' + b'{"a":' * 5000 + b"1" + b"}" * 5000 + b"}",
        '{"text": "a"}'.encode("utf-16"),
        b"\x00",
    ],
)
async def test_what_is_no_json_is_a_validation_error(body: bytes) -> None:
    response = await send(serve(write=keep), "POST", "/notes", content=body, headers=JSON)
    assert response.status_code == 422, response.text
    assert response.json()["kind"] == "validation"


@pytest.mark.parametrize(
    ("body", "violation"),
    [
        (b"", Violation.MALFORMED_JSON),
        (b'{"text": "a",}', Violation.MALFORMED_JSON),
        (b'{"text": "\\ud800"}', Violation.MALFORMED_JSON),
        (b'{"text": "a", "extra": NaN}', Violation.MALFORMED_JSON),
        (b'{"text": "\xff"}', Violation.INVALID_UTF8),
        ('{"text": "a"}'.encode("utf-16"), Violation.INVALID_UTF8),
        (b'{"text": 5}', Violation.WRONG_TYPE),
    ],
)
async def test_a_refusal_says_whether_the_text_or_the_value_is_at_fault(
    body: bytes, violation: Violation
) -> None:
    scope: Scope = {"type": "http", "headers": [(b"content-type", b"application/json")]}

    async def receive() -> Message:
        return {"type": "http.request", "body": body}

    with pytest.raises(InvalidRequest) as raised:
        await RequestReader(NoteHandlers.table[0], RuntimeOptions()).read_body(
            scope, receive, lambda: None, set()
        )
    assert raised.value.violation is violation


@pytest.mark.parametrize(
    "number", ["1e999", "-1E+400", "1e0999", "1E+00400", "1" + "0" * 400 + ".5", "1" + "0" * 250 + "e99"]
)
async def test_a_number_that_no_float_holds_is_refused_wherever_it_stands(number: str) -> None:
    body = f'{{"text": "a", "extra": [{{"deep": {number}}}]}}'
    response = await send(serve(write=keep), "POST", "/notes", content=body, headers=JSON)
    assert (response.status_code, response.json()["reason"]) == (
        422,
        "extra[0].deep: must be a finite number",
    )


@pytest.mark.parametrize("number", ["1e308", "1e-999", "1e+0308", "1" + "0" * 400, '"1e999"'])
async def test_a_number_that_a_float_or_an_integer_holds_is_taken(number: str) -> None:
    body = f'{{"text": "a", "extra": [{{"deep": {number}}}]}}'
    response = await send(serve(write=keep), "POST", "/notes", content=body, headers=JSON)
    assert (response.status_code, response.json()["text"]) == (200, "a")


async def test_the_words_of_forbidden_constants_are_allowed_as_text() -> None:
    body = {"text": "NaN", "extra": {"Infinity": "-Infinity"}}
    response = await send(serve(write=keep), "POST", "/notes", json=body)
    assert response.json()["text"] == "NaN"


async def test_the_last_of_a_duplicate_key_counts() -> None:
    body = b'{"text": "first", "text": "last"}'
    response = await send(serve(write=keep), "POST", "/notes", content=body, headers=JSON)
    assert response.json()["text"] == "last"


@pytest.mark.parametrize(
    ("content_type", "status"),
    [
        ("application/json", 200),
        ("Application/JSON; charset=UTF-8", 200),
        ('application/json;charset="utf-8"', 200),
        ("application/json; foo=bar", 200),
        ("application/vnd.x+json; foo=bar; charset=utf-8", 200),
        ("application/json; charset=", 415),
        (None, 415),
        ("text/plain", 415),
        ("text/json", 415),
        ("application/json, text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        ("application/json; charset=utf-16", 415),
        ("application/jsonlines", 415),
    ],
)
async def test_a_body_must_be_declared_as_json_in_utf_8(content_type: str | None, status: int) -> None:
    headers = {"content-type": content_type} if content_type else {}
    response = await send(serve(write=keep), "POST", "/notes", content=b'{"text": "a"}', headers=headers)
    assert response.status_code == status
    if status == 415:
        assert response.json()["kind"] == "unsupported_media_type"


@pytest.mark.parametrize(
    ("coding", "status"),
    [("gzip", 415), ("Zstd, br", 415), ("identity", 200), (" Identity ", 200), ("", 200)],
)
async def test_a_compressed_body_is_refused_as_what_it_is(coding: str, status: int) -> None:
    headers = {"content-type": "application/json", "content-encoding": coding}
    body = b'{"text": "a"}' if status == 200 else gzip.compress(b'{"text": "a"}')
    response = await send(serve(write=keep), "POST", "/notes", content=body, headers=headers)
    assert response.status_code == status
    if status == 415:
        assert f"not with the content encoding {coding}" in response.text


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize(("excess", "status"), [(0, 200), (1, 413)])
async def test_a_body_over_the_limit_is_refused_whether_its_length_is_told_or_not(
    chunked: bool, excess: int, status: int
) -> None:
    body = json.dumps({"text": "a" * 50}).encode()
    app = serve(write=keep, options=RuntimeOptions(max_body_bytes=len(body) - excess))

    async def chunks() -> object:
        yield body[:30]
        yield body[30:]

    content = chunks() if chunked else body
    response = await send(app, "POST", "/notes", content=content, headers=JSON)
    assert response.status_code == status
    if status == 413:
        assert response.json()["kind"] == "payload_too_large"


async def test_a_status_for_the_body_that_is_not_declared_becomes_the_validation_status() -> None:
    app = serve(keep=keep, options=RuntimeOptions(max_body_bytes=5))
    too_large = await send(app, "PUT", "/shelves/a", json={"text": "long"})
    assert (too_large.status_code, too_large.json()["kind"]) == (400, "payload_too_large")
    untyped = await send(app, "PUT", "/shelves/a", content=b"{}")
    assert (untyped.status_code, untyped.json()["kind"]) == (400, "unsupported_media_type")


async def test_parameters_reach_the_handler_together() -> None:
    seen: list[KeepArguments] = []

    def shelve(arguments: KeepArguments, body: Note, call: object) -> Kept:
        seen.append(arguments)
        call.respond_with({"x-shelf": arguments.shelf})  # type: ignore[attr-defined]
        return keep(body)

    app = serve(keep=shelve)
    path = "/shelves/top%20left?position=2&unknown=1&labels%5B%5D=7&beside=3&labels[]=&beside=4"
    response = await send(app, "PUT", path, json={"text": "a"}, headers={"x-trace": "17"})
    assert (response.status_code, response.headers["x-shelf"]) == (201, "top left")
    lists = {"labels": ["7", ""], "beside": [3, 4]}
    told = {"shelf": "top left", "position": 2, "X-Trace": "17", **lists}
    assert seen == [KeepArguments.model_validate(told)]


@pytest.mark.parametrize(
    ("path", "name"),
    [("a", "a"), ("org/a", "org/a"), ("org%2Fa", "org/a"), ("a/b/c%20d", "a/b/c d"), ("a%0A", "a\n")],
)
async def test_a_path_parameter_may_hold_slashes_where_the_operation_says_so(path: str, name: str) -> None:
    app = serve(find=lambda arguments, call: arguments.name)
    assert (await send(app, "GET", f"/found/{path}")).text == name


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("position=0", "position: must be greater than or equal to 1"),
        ("position=first", "position: must be an integer"),
        ("position=", "position: must be an integer"),
        ("position=true", "position: must be an integer"),
        ("position=NaN", "position: must be an integer"),
        ("position=1&position=2", "position: is given more than once"),
        ("beside=1&beside=b", "beside: must be an integer"),
        ("labels[]=1&labels[]=2&labels[]=3", "labels[]: must have at most 2 items"),
    ],
)
async def test_an_invalid_parameter_is_refused_by_its_name(query: str, reason: str) -> None:
    response = await send(serve(keep=keep), "PUT", f"/shelves/a?{query}", json={"text": "a"})
    assert (response.status_code, response.json()["reason"]) == (400, reason)


@pytest.mark.parametrize(
    ("authorization", "status"),
    [
        ("Bearer secret", 200),
        ("bearer secret", 200),
        ("Bearer Secret", 401),
        ("Bearer secret2", 401),
        ("Bearer", 401),
        ("Basic secret", 401),
        ("secret", 401),
        ("Bearer s\xe9cret", 401),
        (None, 401),
    ],
)
async def test_a_secured_operation_wants_the_servers_key(authorization: str | None, status: int) -> None:
    app = serve(write=keep, read=lambda call: "", options=WITH_KEY)
    headers = {"authorization": authorization.encode("latin-1")} if authorization else {}
    response = await send(app, "POST", "/notes", json={"text": "a"}, headers=headers)
    assert response.status_code == status
    if status == 401:
        assert response.headers["www-authenticate"] == "Bearer"
        assert response.json()["kind"] == "unauthorized"
    assert (await send(app, "GET", "/notes")).status_code == 200, "the document leaves this operation open"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"x-key": "secret"}, 200),
        ({"X-Key": " secret "}, 200),
        ({"authorization": "Bearer secret"}, 401),
        ({"x-key": "Bearer secret"}, 401),
        ({"x-key": ""}, 401),
        ({}, 401),
    ],
)
async def test_the_key_is_read_from_the_header_that_the_document_names(
    headers: dict[str, str], status: int
) -> None:
    class KeyedHandlers(NoteHandlers):
        table: ClassVar[Any] = (replace(NoteHandlers.table[0], key_headers=("x-key",)),)

    server = ContractServer(FastAPI(openapi_url=None), WITH_KEY)
    server.mount(NotesContract(), KeyedHandlers(write=keep))
    response = await send(server, "POST", "/notes", json={"text": "a"}, headers=headers)
    assert response.status_code == status
    assert "www-authenticate" not in response.headers, "no scheme of HTTP's is wanted"


async def test_a_server_without_a_key_asks_for_none() -> None:
    response = await send(serve(write=keep), "POST", "/notes", json={"text": "a"})
    assert (response.status_code, response.json()["text"]) == (200, "a")
