"""Streams: their framing, their errors before and after the first event, and their end."""

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any, ClassVar

import httpx
import pytest
from fastapi import FastAPI

from tests.support.clocks.virtual_time import run_in_virtual_time
from tests.unit.verbatim_kit.runtime.client import events, send
from tests.unit.verbatim_kit.runtime.notes import (
    Added,
    Kept,
    Note,
    NoteHandlers,
    NotesContract,
    serve,
    stream_of,
)
from verbatim_kit.runtime.problem import Problem
from verbatim_kit.runtime.runtime_options import RuntimeOptions
from verbatim_kit.runtime.server import ContractServer

NOTE = {"text": "a", "stream": True}
EVENT = '{"id":1,"text":"a"}'


async def write(*items: Kept | bytes | Exception, pause_s: float = 0.0) -> httpx.Response:
    app = serve(write=lambda body, call: stream_of(*items, pause_s=pause_s))
    return await send(app, "POST", "/notes", json=NOTE)


async def test_a_stream_is_framed_and_ends_with_its_terminator() -> None:
    response = await write(Kept(id=1, text="a"), b'{"id":2,"text":"b"}')
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/event-stream"
    assert response.headers["cache-control"] == "no-cache"
    assert response.headers["x-accel-buffering"] == "no"
    assert response.text == f'data: {EVENT}\n\ndata: {{"id":2,"text":"b"}}\n\ndata: [DONE]\n\n'


async def test_a_streams_content_type_is_the_operations() -> None:
    response = await send(serve(watch=lambda call: stream_of(Kept(id=1, text="a"))), "GET", "/changes")
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"


async def follow(*items: Any) -> httpx.Response:
    return await send(serve(follow=lambda call: stream_of(*items)), "GET", "/log")


async def test_an_event_is_named_by_its_own_property_where_the_operation_says_so() -> None:
    response = await follow(Added(text="event: x\n"), b'{"text":"b","kind":"added"}')
    assert response.content == (
        b'event: added\ndata: {"kind":"added","text":"event: x\\n"}\n\n'
        b'event: added\ndata: {"text":"b","kind":"added"}\n\n'
        b"data: [DONE]\n\n"
    )


async def test_the_event_of_an_error_is_named_too() -> None:
    response = await follow(Added(text="a"), Problem(500, "Lost"))
    assert response.content == (
        b'event: added\ndata: {"kind":"added","text":"a"}\n\n'
        b'event: broken\ndata: {"kind":"broken","reason":"Lost"}\n\n'
        b"data: [DONE]\n\n"
    )


async def test_an_event_without_its_name_is_not_sent() -> None:
    assert (await follow(b'{"text":"a"}')).status_code == 500
    response = await follow(Added(text="a"), b'{"text":"a"}')
    assert b"event: broken" in response.content


async def test_an_empty_stream_is_its_terminator() -> None:
    assert events(await write()) == ["[DONE]"]


async def test_head_of_a_stream_neither_reads_it_nor_leaves_it_open() -> None:
    stream = stream_of(Problem(429, "Not read"))
    response = await send(serve(watch=lambda call: stream), "HEAD", "/changes")
    assert (response.status_code, response.content) == (200, b"")
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    with pytest.raises(StopAsyncIteration):
        await anext(stream)


@pytest.mark.parametrize("pause_s", [0.0, 0.001])
async def test_an_error_before_the_first_event_keeps_its_status(pause_s: float) -> None:
    response = await write(Problem(429, "Full", "busy"), pause_s=pause_s)
    assert (response.status_code, response.json()) == (429, {"reason": "Full", "kind": "busy"})


@pytest.mark.parametrize("pause_s", [0.0, 0.001])
@pytest.mark.parametrize(
    ("error", "frame"),
    [
        (Problem(424, "Broken", "generation"), {"reason": "Broken", "kind": "generation"}),
        (ValueError("Unforeseen"), {"reason": "Internal server error", "kind": "internal"}),
    ],
)
async def test_an_error_after_the_first_event_is_the_last_event_before_the_terminator(
    error: Exception, frame: dict[str, str], pause_s: float
) -> None:
    response = await write(Kept(id=1, text="a"), error, Kept(id=2, text="never"), pause_s=pause_s)
    first, last, terminator = events(response)
    assert (response.status_code, first, json.loads(last), terminator) == (200, EVENT, frame, "[DONE]")


async def test_a_first_event_that_the_document_does_not_declare_is_a_500() -> None:
    undeclared: Any = Note(text="a")
    response = await write(undeclared)
    assert (response.status_code, response.json()["kind"]) == (500, "internal")


async def test_a_later_event_that_the_document_does_not_declare_is_not_sent() -> None:
    undeclared: Any = Note(text="a")
    response = await write(Kept(id=1, text="a"), undeclared)
    assert json.loads(events(response)[1])["kind"] == "internal"


async def test_a_stream_is_refused_where_none_is_declared() -> None:
    app = serve(keep=lambda arguments, body, call: stream_of(Kept(id=1, text="a")))
    with pytest.raises(RuntimeError, match="keep declares no status 500"):
        await send(app, "PUT", "/shelves/a", json=NOTE)


async def test_headers_set_before_the_first_event_go_out_with_the_stream() -> None:
    async def stream(call: Any) -> AsyncGenerator[Kept, None]:
        await asyncio.sleep(0)
        call.respond_with({"x-shelf": "top"})
        yield Kept(id=1, text="a")

    response = await send(serve(write=lambda body, call: stream(call)), "POST", "/notes", json=NOTE)
    assert response.headers["x-shelf"] == "top"


async def paused(*steps: float | Kept | Exception) -> AsyncGenerator[Kept, None]:
    """A stream of events, of errors that it raises, and of seconds that it waits."""
    for step in steps:
        if isinstance(step, float):
            await asyncio.sleep(step)
        elif isinstance(step, Exception):
            raise step
        else:
            yield step


def sent_over_time(
    stream: AsyncGenerator[Kept, None], *, has_comments: bool = True
) -> list[tuple[float, Any]]:
    """Return the answer to a POST of a note: the seconds of each part, and its status or bytes."""
    sent: list[tuple[float, Any]] = []

    async def record(message: Any) -> None:
        part = message["status"] if "status" in message else message["body"]
        sent.append((asyncio.get_running_loop().time(), part))

    async def exchange() -> None:
        incoming = [{"type": "http.request", "body": json.dumps(NOTE).encode()}]

        async def receive() -> Any:
            return incoming.pop() if incoming else await asyncio.Future()

        headers = [(b"content-type", b"application/json")]
        scope = {"type": "http", "method": "POST", "path": "/notes", "query_string": b"", "headers": headers}
        app = serve(write=lambda body, call: stream, options=RuntimeOptions(keep_alive_s=20))
        await app(scope, receive, record)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(NotesContract, "has_comments", has_comments)
        run_in_virtual_time(exchange())
    return sent


A, B = Kept(id=1, text="a"), Kept(id=2, text="b")
A_FRAME, B_FRAME, DONE = f"data: {EVENT}\n\n".encode(), b'data: {"id":2,"text":"b"}\n\n', b"data: [DONE]\n\n"
FULL_FRAME, COMMENT = b'data: {"reason":"Full","kind":"busy"}\n\n', b":\n\n"


@pytest.mark.parametrize(
    ("steps", "has_comments", "sent"),
    [
        pytest.param(
            (19.0, A, 50.0, B, 19.0, A),
            True,
            [
                (19, 200),
                (19, A_FRAME),
                (39, COMMENT),
                (59, COMMENT),
                (69, B_FRAME),
                (88, A_FRAME),
                (88, DONE),
            ],
            id="comments between events",
        ),
        pytest.param(
            (50.0, A),
            True,
            [(20, 200), (20, COMMENT), (40, COMMENT), (50, A_FRAME), (50, DONE)],
            id="status before the first event",
        ),
        pytest.param(
            (50.0, A, 50.0, B),
            False,
            [(20, 200), (20, b""), (50, A_FRAME), (100, B_FRAME), (100, DONE)],
            id="status without comments",
        ),
        pytest.param((50.0,), True, [(20, 200), (20, COMMENT), (40, COMMENT), (50, DONE)], id="no event"),
        pytest.param((19.0, Problem(429, "Full", "busy")), True, [(19, 429)], id="refusal in time"),
        pytest.param(
            (21.0, Problem(429, "Full", "busy")),
            True,
            [(20, 200), (20, COMMENT), (21, FULL_FRAME + DONE)],
            id="refusal too late for a status",
        ),
    ],
)
def test_a_silent_stream_sends_its_status_and_then_comments(
    steps: tuple[Any, ...], has_comments: bool, sent: list[tuple[float, Any]]
) -> None:
    parts = sent_over_time(paused(*steps), has_comments=has_comments)
    if parts[0][1] != 200:
        parts = parts[:1]  # the body of an error has tests of its own
    assert parts == sent


def test_the_status_of_a_silent_stream_waits_for_headers_that_it_must_have() -> None:
    async def stream(call: Any) -> AsyncGenerator[Kept, None]:
        await asyncio.sleep(10)
        call.respond_with({"x-shelf": "top"})
        await asyncio.sleep(10)
        yield A

    shelf = replace(NoteHandlers.table[0], headers={"x-shelf": True})

    class Shelved(NoteHandlers):
        table: ClassVar[Any] = (shelf,)

    server = ContractServer(FastAPI(openapi_url=None), RuntimeOptions(keep_alive_s=8))
    server.mount(NotesContract(), Shelved(write=lambda body, call: stream(call)), "")
    response = run_in_virtual_time(send(server, "POST", "/notes", json=NOTE))
    assert (response.headers["x-shelf"], response.content) == ("top", COMMENT + A_FRAME + DONE)


async def test_events_that_are_ready_together_go_out_together() -> None:
    sent: list[bytes] = []
    app = serve(write=lambda body, call: stream_of(*[Kept(id=1, text="a")] * 3))
    body = json.dumps(NOTE).encode()
    incoming = [{"type": "http.request", "body": body}]

    async def receive() -> Any:
        if incoming:
            return incoming.pop()
        return await asyncio.Future()

    async def record(message: Any) -> None:
        sent.append(message.get("body", b""))

    headers = [(b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/notes", "query_string": b"", "headers": headers}
    await app(scope, receive, record)
    assert sent == [b"", f"data: {EVENT}\n\n".encode() * 3, b"data: [DONE]\n\n"]
