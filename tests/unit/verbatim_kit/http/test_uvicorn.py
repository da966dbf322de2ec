"""Uvicorn and httptools are what `verbatim_kit/http/protocol.py` relies on, where they document nothing."""

import asyncio
import inspect
from importlib.metadata import version

import httptools
import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState

from tests.unit.requirements.requirements import read_requirements
from tests.unit.verbatim_kit.http.echo import LIMITS
from verbatim_kit.http.connections import Connections
from verbatim_kit.http.protocol import bounded_protocol
from verbatim_kit.http.web_socket import bounded_web_socket

# Callbacks and steps that are replaced or called, with their parameters.
METHODS = {
    "connection_made": ["transport"],
    "connection_lost": ["exc"],
    "data_received": ["data"],
    "on_message_begin": [],
    "on_url": ["url"],
    "on_header": ["name", "value"],
    "on_headers_complete": [],
    "on_body": ["body"],
    "on_message_complete": [],
    "on_response_complete": [],
    "pause_writing": [],
    "_start_asgi_task": ["cycle", "app"],
}
WEB_SOCKET_METHODS = {
    "connection_made": ["transport"],
    "connection_lost": ["exc"],
    "data_received": ["data"],
    "handle_connect": ["event"],
    "resume_writing": [],
    "shutdown": [],
}
WEB_SOCKET_STATE = {"app_state", "close_sent", "handshake_complete", "transport"}
STATE = {
    "parser",
    "transport",
    "flow",
    "headers",
    "url",
    "ws_protocol_class",
    "cycle",
    "pipeline",
    "server_state",
    "expect_100_continue",
}
FLOW = {"read_paused", "write_paused"}
CYCLE = {
    "body",
    "chunked_encoding",
    "disconnected",
    "expected_content_length",
    "keep_alive",
    "message_event",
    "more_body",
    "response_complete",
    "response_started",
    "scope",
    "transport",
    "waiting_for_100_continue",
}


def test_the_versions_are_those_that_this_was_written_for() -> None:
    wanted = {name: line.specifier for name, line in read_requirements().items()}
    for name in ("uvicorn", "httptools"):
        assert wanted[name].contains(version(name)), name
        assert any(bound.operator == "<" for bound in wanted[name]), f"{name} has no upper bound"


def test_the_methods_that_are_replaced_are_there() -> None:
    found = {
        name: list(inspect.signature(getattr(HttpToolsProtocol, name)).parameters)[1:] for name in METHODS
    }
    assert found == METHODS


def test_the_methods_of_web_sockets_that_are_replaced_are_there() -> None:
    found = {
        name: list(inspect.signature(getattr(WebSocketsSansIOProtocol, name)).parameters)[1:]
        for name in WEB_SOCKET_METHODS
    }
    assert found == WEB_SOCKET_METHODS


async def test_the_state_of_web_sockets_that_is_read_is_there_and_none_is_hidden() -> None:
    config = uvicorn.Config(never, lifespan="off")
    config.load()
    plain = WebSocketsSansIOProtocol(config, ServerState(), {})
    assert set(vars(plain)) >= WEB_SOCKET_STATE
    added = set(vars(bounded_web_socket(Connections(LIMITS))(config, ServerState(), {}))) - set(vars(plain))
    assert added and all(name.startswith("_") for name in added)
    assert not {name for name in added if hasattr(WebSocketsSansIOProtocol, name)}


def test_uvicorn_has_no_further_callback() -> None:
    """One that a new version adds would go past the limits."""
    theirs = {name for name in vars(HttpToolsProtocol) if name.startswith("on_")}
    assert theirs == {name for name in METHODS if name.startswith("on_")}


async def test_the_state_that_is_read_is_there_and_none_is_hidden() -> None:
    plain = connected(HttpToolsProtocol)
    assert set(vars(plain)) >= STATE
    assert set(vars(plain.flow)) >= FLOW
    assert set(vars(plain.cycle)) >= CYCLE
    bounded = connected(bounded_protocol(Connections(LIMITS)))
    added = set(vars(bounded)) - set(vars(plain))
    assert all(name.startswith("_") for name in added)
    assert not {name for name in added if hasattr(HttpToolsProtocol, name)}


def connected(protocol: type[HttpToolsProtocol]) -> HttpToolsProtocol:
    """With a request that is being served."""
    made = protocol(uvicorn.Config(never, lifespan="off"), ServerState(), {})
    made.connection_made(Silent())
    made.data_received(b"POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\n")
    for task in made.tasks:
        task.cancel()
    return made


async def never(scope: Scope, receive: Receive, send: Send) -> None:
    await asyncio.Event().wait()


class Silent(asyncio.Transport):
    """A transport to nowhere."""


def test_the_parser_stops_at_an_upgrade_and_says_where() -> None:
    parser = httptools.HttpRequestParser(object())
    head = b"POST / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 3\r\n\r\n"
    try:
        parser.feed_data(head + b"abc")
    except httptools.HttpParserUpgrade as upgrade:
        assert upgrade.args == (len(head),)
    else:
        raise AssertionError("the body is no longer lost at an upgrade, so `_read_on` has become needless")
