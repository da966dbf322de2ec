"""The connection, with bounds on the time and memory that its client can take."""

import asyncio
from typing import Any, ClassVar, Final

import httptools
from typing_extensions import override
from uvicorn.config import Config
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from verbatim_kit.http.answering.half_close import HalfClose
from verbatim_kit.http.answering.held_head import closed_transport, flush_head, hold_head
from verbatim_kit.http.answering.old_client import ending_by_close
from verbatim_kit.http.answering.retry_after import noting_retry_after
from verbatim_kit.http.client_times import BODY, CLOSE, HEAD, NOTHING, REQUEST, ClientTimes
from verbatim_kit.http.connections import Connections
from verbatim_kit.http.descriptors import OWN_CONNECTIONS
from verbatim_kit.http.reading.early_answer import (
    NO_TUNNEL,
    SLOW_BODY,
    SLOW_HEAD,
    TOO_MANY_CONNECTIONS,
    EarlyAnswer,
)
from verbatim_kit.http.reading.framing import VERSION, check_codings, check_version
from verbatim_kit.http.reading.request_sizes import RequestSizes
from verbatim_kit.http.reading.stop_parsing import StopParsing, answer_to
from verbatim_kit.http.reading.target import to_origin_form
from verbatim_kit.http.reading.upgrade import head_without_upgrade

_MAX_PIPELINED: Final = 32  # requests that one connection may have sent ahead


class BoundedProtocol(HttpToolsProtocol):
    """Uvicorn's HTTP/1.1 with limits, each a setting, that hold before an application has read the request.

    - Sizes of the URL, of the headers and of what is neither header nor content: trailers, chunk extensions
      (`RequestSizes`).
    - Times for the head, the body, the next request and a client that does not read (`ClientTimes`);
      `Connections` checks them, so that no request starts a timer.
    - The number of connections, and of requests that a connection may send ahead.
    - The rate at which requests are read from clients that were refused with `Retry-After`, and from new ones
      while many are refused (`RefusalPace`).
    - A client that closes its own side of the connection gets the answers to what it has sent, unless it has
      left (`HalfClose`).
    - No upgrade but one to a WebSocket is accepted, and that only where the server has a class for these
      (`bounded_web_socket`), so the bytes after its head are the request's body (RFC 9110, section 7.8).

    A subclass binds `registry` (`bounded_protocol`). The undocumented parts of uvicorn that are used here
    are listed in tests/unit/verbatim_kit/http/test_uvicorn.py.
    """

    registry: ClassVar[Connections]

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._is_held = False  # new, and not read until its turn comes
        self._early = b""  # what came nevertheless
        self._is_put_off = False  # whether the last answer says when the client may try again
        self._serving: RequestResponseCycle | None = None  # the request whose answer is next on the wire
        self._is_refused = False  # nothing more is parsed
        self._refusal: bytes | None = None  # sent after the answers to earlier requests
        self._half_close: HalfClose | None = None  # once the client sends nothing more

        self._is_coded = False  # whether the head that is being parsed has a transfer coding
        self._sizes = RequestSizes(self.registry.limits)
        self._times = ClientTimes(self.registry.limits)

    # The connection

    @override
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn's
        super().connection_made(transport)
        if not self.registry.add(self, self.app_state.get(OWN_CONNECTIONS, 0)):
            self._is_refused = True
            transport.write(TOO_MANY_CONNECTIONS.encode(self.server_state.default_headers))
            transport.close()
        elif not self.registry.refusal_pace.may_begin(self):
            self._is_held = True
            self.flow.pause_reading()

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self.registry.remove(self)
        self.registry.refusal_pace.forget(self)
        if self._half_close is not None:
            self._half_close.end()
            self._half_close = None
        super().connection_lost(exc)
        if self._serving is not None:  # uvicorn looks only at the last request that came
            _disconnect(self._serving)

    @override
    def eof_received(self) -> bool:  # type: ignore[override] # uvicorn's has the connection closed
        """Return whether the connection stays open for answers, once the client has closed its side of it."""
        if self._half_close is not None:
            return True  # read once more, after a pause
        is_incomplete = self._times.awaited is BODY and self._serving is self.cycle
        is_tls = self.scheme == "https"  # which has no closing of one side
        if is_tls or is_incomplete or not self._is_serving():
            return False
        if self._times.awaited in (HEAD, BODY):
            self._refuse(None)  # a further request, which is not complete
        if self._refusal is None:
            last = self.pipeline[0][0] if self.pipeline else self._serving
            assert last is not None
            last.keep_alive = False
        self._half_close = HalfClose(
            self.transport, lambda: self._serving if self._is_serving() else None, self.abort
        )
        return True

    def abort(self) -> None:
        """Close the connection at once, without sending what is buffered."""
        self.server_state.connections.discard(self)
        self.transport.abort()

    # Bytes that come

    @override
    def data_received(self, data: bytes) -> None:
        if self._is_held:  # uvloop reads once, although the transport was paused when it was made
            self._early += data
            self.transport.pause_reading()
            return
        if self._is_refused:
            if self._sizes.discard(len(data)):
                self.abort()
            return
        self._sizes.begin_read(len(data))
        try:
            self._parse(data)
            self._sizes.end_read(len(data), is_in_head=self._times.awaited is HEAD)
        except httptools.HttpParserError as error:
            self._refuse(answer_to(error))
        except StopParsing as stop:
            self._refuse(stop.answer)

    def _parse(self, data: bytes) -> None:
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            if self._asks_for_web_socket():
                self._become_web_socket(data[upgrade.args[0] :])
            else:
                self._read_on(data, upgrade)

    def _asks_for_web_socket(self) -> bool:
        """Return whether the connection may be a WebSocket's from now on. No request may run on it then."""
        if self.ws_protocol_class is None or self.pipeline or self._is_serving():
            return False
        is_handshake = self.parser.get_method() == b"GET" and self.parser.get_http_version() == VERSION
        wishes = (value.lower() for name, value in self.headers if name == b"upgrade")
        return is_handshake and b"websocket" in wishes

    def _become_web_socket(self, rest: bytes) -> None:
        """Hand the connection over. rest: what came after the head."""
        self._check_head(VERSION)
        self._times.wait_for(NOTHING)
        self.registry.remove(self)
        self.server_state.connections.discard(self)
        assert self.ws_protocol_class is not None
        web_socket = self.ws_protocol_class(  # type: ignore[call-arg] # as uvicorn itself calls it
            config=self.config, server_state=self.server_state, app_state=self.app_state
        )
        web_socket.connection_made(self.transport)
        self.transport.set_protocol(web_socket)
        headers = b"".join(b"%b: %b\r\n" % header for header in self.headers)
        web_socket.data_received(b"GET %b HTTP/1.1\r\n%b\r\n%b" % (self.url, headers, rest))

    def _read_on(self, data: bytes, upgrade: httptools.HttpParserUpgrade) -> None:
        """Parse a request that asks for an upgrade as if it did not, and the bytes after it."""
        while True:
            head = head_without_upgrade(
                self.parser.get_method(), self.url, self.parser.get_http_version(), self.headers
            )
            data = head + data[upgrade.args[0] :]
            self.parser = httptools.HttpRequestParser(self)
            self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn's own
            try:
                self.parser.feed_data(data)
            except httptools.HttpParserUpgrade as further:
                upgrade = further
            else:
                return

    # Callbacks of the parser

    @override
    def on_url(self, url: bytes) -> None:
        self.url += url
        if self._times.awaited is not HEAD:
            self._times.wait_for(HEAD)
        self._sizes.check_url(self.url)

    @override
    def on_header(self, name: bytes, value: bytes) -> None:
        if self._times.awaited is BODY:
            self._sizes.count_trailer()  # and drop it: the headers came before the body (RFC 9110, 6.5.1)
            return
        name = name.lower()
        if name == b"expect" and value.lower() == b"100-continue":
            self.expect_100_continue = True
        elif name == b"transfer-encoding":
            self._is_coded = True
        self.headers.append((name, value))
        if len(self.headers) > self._sizes.max_headers:  # without a call for each
            self._sizes.check_num_headers(len(self.headers))

    @override
    def on_headers_complete(self) -> None:
        if self.parser.should_upgrade():
            if self.parser.get_method() == b"CONNECT":
                raise StopParsing(NO_TUNNEL)
            return  # `_read_on` comes back here
        version = self.parser.get_http_version()
        self._check_head(version)
        if self.expect_100_continue and version != VERSION:
            self.expect_100_continue = False  # RFC 9110, section 10.1.1
        self._sizes.begin_body()
        self._times.wait_for(BODY)
        super().on_headers_complete()
        if not self.pipeline:
            self._serving = self.cycle
            self.registry.set_served(self)

    def _check_head(self, version: str) -> None:
        self._sizes.check_header_bytes(self.headers)
        check_version(version)
        if self._is_coded:
            self._is_coded = False
            check_codings(version, self.headers)
        if len(self.pipeline) >= _MAX_PIPELINED:
            last, _ = self.pipeline[0]
            last.keep_alive = (
                False  # its answer says so, and the client sends the rest again (RFC 9112, 9.3.2)
            )
            raise StopParsing(None)
        if not self.url.startswith(b"/"):
            self.url = to_origin_form(self.parser.get_method(), self.url, version, self.headers)

    @override
    def on_body(self, body: bytes) -> None:
        self._times.num_body += len(body)
        cycle = self.cycle
        if cycle.response_complete:
            self._sizes.discard_chunk(len(body))
            return
        self._sizes.count_chunk(len(body))
        cycle.body += body
        if len(cycle.body) > HIGH_WATER_LIMIT:
            self.flow.pause_reading()
        cycle.message_event.set()

    @override
    def on_message_complete(self) -> None:
        if self._times.awaited is not BODY:
            return  # of a request that asks for an upgrade
        self._times.wait_for(NOTHING)
        cycle = self.cycle
        if cycle.response_complete:
            self._times.wait_for(REQUEST)
            return
        cycle.more_body = False
        cycle.message_event.set()

    # The end of an answer

    @override
    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        """Serve a request, hold its head for its body, and note whether the answer has `Retry-After`.

        app: an ASGI application; uvicorn's types for it are private. Kept by the task alone: kept by the
        connection, which it refers to, it would keep that from being freed when it is lost.
        """

        hold_head(cycle)
        if cycle.scope["http_version"] != VERSION:
            app = ending_by_close(app, cycle)
        noted = noting_retry_after(app, self._put_off)
        super()._start_asgi_task(cycle, noted)  # type: ignore[arg-type] # as uvicorn's own ASGI types

    def _put_off(self, is_put_off: bool) -> None:
        self._is_put_off = is_put_off

    @override
    def on_response_complete(self) -> None:
        """Go on with the next request. Unlike uvicorn's: no timer, and no reading while requests wait."""
        self.server_state.total_requests += 1
        if not self._is_put_off:
            self.registry.refusal_pace.note_served()
        if self._serving is not None:
            flush_head(self._serving)
        if self.transport.is_closing():
            return
        if not self.pipeline:
            self.registry.set_free(self)
            if self._refusal is not None:
                self.flow.resume_reading()
                self._close_with(self._refusal)
                return
            self._wait_on()
        if self._is_put_off and not self.registry.refusal_pace.may_go_on(self):
            self.flow.pause_reading()
            return
        self.go_on()

    def _wait_on(self) -> None:
        """Wait for the next request, or for what is left of the body of the one that has been answered."""
        if self._times.awaited is NOTHING:
            self._times.wait_for(REQUEST)
        elif self._times.awaited is BODY:
            self._times.restart()  # what is left has a time limit of its own
            if self.expect_100_continue:
                self._linger()  # having its answer, the client may send it or not (RFC 9110, 10.1.1)

    def go_on(self) -> None:
        """Serve the next of the requests that were sent ahead, or read one."""
        self._is_held = False
        if self.transport.is_closing():
            return
        if self._early:
            early, self._early = self._early, b""
            self.flow.resume_reading()
            self.data_received(early)
        elif self.pipeline:
            self._serving, app = self.pipeline.pop()
            self._start_asgi_task(self._serving, app)
        else:
            self.flow.resume_reading()

    @override
    def pause_writing(self) -> None:
        super().pause_writing()
        self._times.end_stall()  # the client has read something since an earlier pause

    # Refusals

    def _refuse(self, answer: EarlyAnswer | None) -> None:
        """Parse nothing more, answer after all requests that came before, and close."""
        self._is_refused = True
        refusal = None if answer is None else self._refusal_of(answer)
        broken = self.cycle if self._times.awaited is BODY else None  # the request whose body is at fault
        if self._is_serving() and self._serving is not broken:
            if broken is not None:
                self.pipeline.popleft()
            self._refusal = refusal
            self._times.wait_for(NOTHING)
            return
        if broken is not None:
            _disconnect(broken)
            self._serving = None
        if refusal is None or (broken is not None and broken.response_started):
            self.transport.close()
        else:
            self._close_with(refusal)

    def _refusal_of(self, answer: EarlyAnswer) -> bytes:
        """Return the answer to the request that is being parsed."""
        has_method = self._times.awaited in (HEAD, BODY)  # or else the parser's is that of the one before
        is_to_head = has_method and self.parser.get_method() == b"HEAD"
        return answer.encode(self.server_state.default_headers, is_to_head=is_to_head)

    def _is_serving(self) -> bool:
        return self._serving is not None and not self._serving.response_complete

    def _close_with(self, refusal: bytes) -> None:
        self.transport.write(refusal)
        self._linger()

    def _linger(self) -> None:
        """Close when the client has, or soon: closing with unread bytes would discard the
        answer on its way.
        """
        self._is_refused = True
        self._times.wait_for(CLOSE)
        if self._half_close is not None:
            self.transport.close()
        elif self.transport.can_write_eof():
            try:
                self.transport.write_eof()
            except OSError:  # of Python's own loop, where the client has reset the connection
                self.transport.abort()

    # Time

    def check(self, now: float) -> None:
        """Close the connection if the client has taken too long. now: seconds of any clock."""
        if self._times.is_stalled(now, self._num_unread()):
            self.abort()
        elif self.flow.read_paused or self._owes_continue():
            self._times.restart()  # the client waits for the server
        elif self._times.is_over(now):
            self._end_wait(now)

    def _num_unread(self) -> int:
        """Return how many bytes the client has yet to read before the server can go on."""
        if self._is_serving() and not self.flow.write_paused:
            return 0
        return self.transport.get_write_buffer_size()

    def _owes_continue(self) -> bool:
        return self._times.awaited is BODY and self.cycle.waiting_for_100_continue

    def _end_wait(self, now: float) -> None:
        if self._times.awaited is HEAD:
            self._refuse(SLOW_HEAD)
        elif self._times.awaited is not BODY or self.cycle.response_complete:
            self.transport.close()
        elif not self._times.goes_on(now):
            self._refuse(SLOW_BODY)


def bounded_protocol(connections: Connections) -> type[BoundedProtocol]:
    """Return the class of uvicorn's connections (`uvicorn.Config(http=...)`)."""

    class Bound(BoundedProtocol):
        registry = connections

    return Bound


def _disconnect(cycle: RequestResponseCycle) -> None:
    """Have the application see that its client has gone; whatever it sends from then on is dropped."""
    if not cycle.response_complete:
        cycle.disconnected = True
        cycle.transport = closed_transport()
    cycle.message_event.set()
