"""Calls of the application without sockets: the CPU time of its thread, and its number of function calls."""

import asyncio
import cProfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pstats import SortKey, Stats
from typing import Final, NamedTuple

from starlette.types import ASGIApp, Message, Scope

from handlers.process.gc_tuning import freeze_start_up
from tools.bench.table import Row, print_table

_END_OF_HEAD: Final = b"\r\n\r\n"


class InProcess(NamedTuple):
    """The parameters of a measurement. num_tokens: tokens of each stream."""

    num_clients: int
    num_requests: int
    num_tokens: int
    num_rounds: int
    num_functions: int  # to list from each profile; 0 for no list


class _Sent(NamedTuple):
    """A request in the form of ASGI, which is sent repeatedly."""

    scope: Scope
    body: bytes


async def run(
    app: ASGIApp, requests: Mapping[str, Callable[[int, bool], bytes]], how: InProcess
) -> list[Row]:
    """Measure each request, streamed and not streamed.

    requests: functions that return the body for a number of tokens and for a stream or not.
    """
    sent = {
        name: (_parsed(make(1, False)), _parsed(make(how.num_tokens, True)))
        for name, make in requests.items()
    }
    freeze_start_up()
    rows: list[Row] = []
    for name, (whole, stream) in sent.items():
        num_each = how.num_requests // how.num_clients
        await _ask(app, whole, how.num_clients, num_each)
        await _ask(app, stream, how.num_clients, 1)
        request_us: list[float] = []
        event_us: list[float] = []
        for _ in range(how.num_rounds):
            request_us.append(await _us(app, whole, how.num_clients, num_each))
            event_us.append(await _us(app, stream, how.num_clients, 1))
        request_calls = await _calls(app, whole, how, num_each, f"{name}, a request")
        event_calls = await _calls(app, stream, how, 1, f"{name}, an event")
        rows.append(
            {
                "contract": name,
                "request_us": min(request_us),
                "request_calls": request_calls,
                "event_us": min(event_us),
                "event_calls": event_calls,
            }
        )
    print_table(rows)
    return rows


def _parsed(request: bytes) -> _Sent:
    head, _, body = request.partition(_END_OF_HEAD)
    first, *lines = head.split(b"\r\n")
    method, path, _ = first.split()
    pairs = (line.split(b": ", 1) for line in lines)
    scope: Scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "server": ("127.0.0.1", 80),
        "client": ("127.0.0.1", 50_000),
        "scheme": "http",
        "method": method.decode(),
        "root_path": "",
        "path": path.decode(),
        "raw_path": path,
        "query_string": b"",
        "headers": [(name.lower(), value) for name, value in pairs],
    }
    return _Sent(scope, body)


async def _us(app: ASGIApp, sent: _Sent, num_clients: int, num_each: int) -> float:
    """Return the CPU microseconds of this thread for an answer or event."""
    began = time.thread_time()
    count = await _ask(app, sent, num_clients, num_each)
    return 1e6 * (time.thread_time() - began) / count


async def _calls(app: ASGIApp, sent: _Sent, how: InProcess, num_each: int, title: str) -> float:
    """Return the number of function calls for an answer or event, including C functions."""
    with _profile() as profile:
        count = await _ask(app, sent, how.num_clients, num_each)
    stats = Stats(profile)
    if how.num_functions:
        print(title)
        stats.sort_stats(SortKey.TIME).print_stats(how.num_functions)
    num_calls: int = vars(stats)["total_calls"]  # missing in typeshed
    return num_calls / count


@contextmanager
def _profile() -> Iterator[cProfile.Profile]:
    profile = cProfile.Profile()
    profile.enable()
    try:
        yield profile
    finally:
        profile.disable()


async def _ask(app: ASGIApp, sent: _Sent, num_clients: int, num_each: int) -> int:
    """Return the number of events, or of answers, of all clients together."""

    async def client() -> int:
        return sum([await _answered(app, sent) for _ in range(num_each)])

    return sum(await asyncio.gather(*(client() for _ in range(num_clients))))


async def _answered(app: ASGIApp, sent: _Sent) -> int:
    """Send the request once. Raises AssertionError for an error."""
    is_read = False
    num_events = 0

    async def receive() -> Message:
        nonlocal is_read
        if is_read:
            await asyncio.get_running_loop().create_future()  # the client stays connected until cancelled
        is_read = True
        return {"type": "http.request", "body": sent.body, "more_body": False}

    async def send(message: Message) -> None:
        nonlocal num_events
        if message["type"] == "http.response.start":
            assert message["status"] == 200, message
        else:
            num_events += message.get("body", b"").count(b"data:")

    await app({**sent.scope, "state": {}}, receive, send)
    return num_events or 1
