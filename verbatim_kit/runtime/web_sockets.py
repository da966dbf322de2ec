"""WebSockets: each message is a request to an operation, and the events of its answer are messages.

A message goes through the whole application as a request by itself, so that keys, limits of rates, permits,
the log, metrics and the check of answers hold for it as over HTTP; so does the handshake. Messages of one
WebSocket are answered one after the other, and a client that leaves ends its request.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

from pydantic_core import from_json, to_json
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from verbatim_kit.errors import Violation
from verbatim_kit.openapi.streams import is_event_stream
from verbatim_kit.runtime.body_thread import BodyThread
from verbatim_kit.runtime.call import CONNECTION, ERROR, FAULT, HANDSHAKE
from verbatim_kit.runtime.endpoint import Endpoint
from verbatim_kit.runtime.operation import Operation
from verbatim_kit.runtime.problem import InvalidRequest, InvalidValue, Problem
from verbatim_kit.runtime.server import ContractServer

LINK: Final = "verbatim.connection"
"""Where an HTTP server puts what it shares with a WebSocket's application, among the scope's extensions.

`stopping` is an event: the WebSocket closes as soon as it answers nothing. `set_busy` is called with whether
it answers a message.
"""
MAX_AGE_S: Final = 3600.0
MAX_REFUSED: Final = 32  # messages in a row

_WAITING: Final = 1  # messages that have been read and wait for the answers to earlier ones
_DATA: Final = b"data: "
_OF_HANDSHAKE: Final = frozenset(
    {b"connection", b"upgrade", b"content-length", b"content-type", b"transfer-encoding", b"accept"}
)
_NORMAL, _REFUSED, _STOPS = 1000, 1008, 1012  # RFC 6455, section 7.4.1, and its registry


class WebSockets:
    """ASGI middleware that serves WebSockets at the paths of operations that have them.

    A handshake anywhere else is answered as the request that it is. idle_s: seconds without a message or an
    answer after which a WebSocket is closed. bodies: the thread in which long messages are read.
    """

    def __init__(self, app: ASGIApp, server: ContractServer, *, idle_s: float, bodies: BodyThread) -> None:
        self._app = app
        self._server = server
        self._idle_s = idle_s
        self._bodies = bodies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        await receive()  # `websocket.connect`
        answer = _Answer()
        handshake = _request(scope, "GET", [])
        handshake[HANDSHAKE] = True
        await self._app(handshake, _empty, answer.take)
        endpoint = self._server.web_socket(scope)
        if answer.status != 101 or endpoint is None:
            await send(
                {"type": "websocket.http.response.start", "status": answer.status, "headers": answer.headers}
            )
            await send({"type": "websocket.http.response.body", "body": answer.body})
            return
        headers = [(name, value) for name, value in answer.headers if not name.startswith(b"content-")]
        await send({"type": "websocket.accept", "headers": headers})
        await _WebSocket(self._app, endpoint, scope, receive, send, self._idle_s, self._bodies).serve()


class _WebSocket:
    """One WebSocket that is open."""

    def __init__(
        self,
        app: ASGIApp,
        endpoint: Endpoint,
        scope: Scope,
        receive: Receive,
        send: Send,
        idle_s: float,
        bodies: BodyThread,
    ) -> None:
        self._app = app
        self._endpoint = endpoint
        self._scope = scope
        self._receive = receive
        self._raw_send = send
        self._idle_s = idle_s
        self._bodies = bodies
        link = scope.get("extensions", {}).get(LINK, {})
        self._stopping: asyncio.Event = link.get("stopping") or asyncio.Event()
        self._set_busy = link.get("set_busy", lambda is_busy: None)
        self._kept: dict[str, Any] = {}
        self._inbox = asyncio.Queue[str | None](_WAITING)
        self._gone = asyncio.Event()
        self._clock = asyncio.get_running_loop().time
        self._opened_s = self._clock()
        self._num_refused = 0

    async def serve(self) -> None:
        """Answer messages until the client leaves, is idle, is refused too often, or the server stops."""
        reading = asyncio.create_task(self._read())
        try:
            code: int | None = None
            while code is None:
                code = await self._serve_next()
            if not self._gone.is_set():
                await self._send({"type": "websocket.close", "code": code})
        finally:
            reading.cancel()

    async def _serve_next(self) -> int | None:
        """Answer the next message. Return the code to close with, if nothing is to follow."""
        message = asyncio.ensure_future(self._inbox.get())
        ends = [asyncio.ensure_future(event.wait()) for event in (self._gone, self._stopping)]
        await asyncio.wait([message, *ends], timeout=self._idle_s, return_when=asyncio.FIRST_COMPLETED)
        for wait in (message, *ends):
            wait.cancel()
        if self._stopping.is_set():
            return _STOPS
        if self._gone.is_set() or not message.done():
            return _NORMAL
        is_old = self._clock() - self._opened_s >= MAX_AGE_S
        self._set_busy(True)
        status = await self._answer(message.result(), is_old=is_old)
        self._set_busy(False)
        self._num_refused = self._num_refused + 1 if status >= 400 else 0
        if self._num_refused >= MAX_REFUSED:
            return _REFUSED
        return _NORMAL if is_old or self._gone.is_set() else None

    async def _read(self) -> None:
        """Read messages until the client leaves; while one waits, the client's next are not read."""
        while (message := await self._receive())["type"] != "websocket.disconnect":
            await self._inbox.put(message.get("text"))
        self._gone.set()

    async def _answer(self, message: str | None, *, is_old: bool) -> int:
        """Answer a message, and return the status that the answer has. message: None for a binary one."""
        request = _request(self._scope, "POST", [(b"content-type", b"application/json")])
        request[CONNECTION] = self._kept
        body = b""
        try:
            if is_old:
                raise _TooOld
            body = await self._bodies.read(len(message or ""), _body_of, message, self._endpoint.operation)
        except Problem as problem:
            request[FAULT] = problem
        answer = _Answer(lambda data: self._say(data, request))
        await self._app(request, self._receiving(body), answer.take)
        if answer.status >= 400:
            await self._send_text(self._endpoint.contract.web_socket_error(answer.status, answer.body))
        return answer.status

    def _receiving(self, body: bytes) -> Receive:
        incoming = [{"type": "http.request", "body": body}]

        async def receive() -> Message:
            if incoming:
                return incoming.pop()
            await self._gone.wait()
            return {"type": "http.disconnect"}

        return receive

    async def _say(self, data: bytes, request: Scope) -> None:
        """Send an event. The last one reports an error if the answer was cut short by one."""
        if data.decode() == self._endpoint.operation.terminator:
            return
        if ERROR in request:
            data = self._endpoint.contract.web_socket_error(500, data)
        await self._send_text(data)

    async def _send_text(self, text: bytes) -> None:
        await self._send({"type": "websocket.send", "text": text.decode()})

    async def _send(self, message: Message) -> None:
        """Send a message unless the client has left, as an HTTP server does with what it sends then."""
        try:
            if not self._gone.is_set():
                await self._raw_send(message)
        except OSError:  # the ASGI specification's sign of a client that has left
            self._gone.set()


class _TooOld(Problem):
    """A WebSocket has been open for too long; clients know the kind, and connect anew."""

    def __init__(self) -> None:
        minutes = round(MAX_AGE_S / 60)
        super().__init__(
            400,
            f"A WebSocket is closed after {minutes} minutes; connect again",
            "websocket_connection_limit_reached",
        )


class _Answer:
    """The answer to a request, kept whole, or handed on event by event if it is a stream of them."""

    def __init__(self, say: Callable[[bytes], Awaitable[None]] | None = None) -> None:
        self.status = 500
        self.headers: list[tuple[bytes, bytes]] = []
        self.body = b""
        self._say = say
        self._events: Callable[[bytes], Awaitable[None]] | None = None  # of the answer, if it is a stream

    async def take(self, message: Message) -> None:
        """Take a message of the application's, as an HTTP server does."""
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], list(message["headers"])
            kinds = [value.decode("latin-1") for name, value in self.headers if name == b"content-type"]
            self._events = self._say if any(map(is_event_stream, kinds)) else None
        elif self._events is None:
            self.body += message.get("body", b"")
        else:
            for line in message.get("body", b"").split(b"\n"):  # whole events, whose data have no line breaks
                if line.startswith(_DATA):
                    await self._events(line.removeprefix(_DATA))


def _body_of(message: str | None, operation: Operation) -> bytes:
    """Return the body of the request that a message makes. Raises InvalidRequest for one of another form.

    A text that is no JSON object is the body as it is, which the operation refuses. message: None for a
    binary one.
    """
    form, status = operation.web_socket, operation.validation_status
    assert form is not None and status is not None
    if message is None:
        raise InvalidRequest(status, InvalidValue("", "A message must be a text", Violation.WRONG_TYPE, None))
    text = message.encode()
    try:
        value = from_json(text)
    except ValueError:
        return text
    if not isinstance(value, dict):
        return text
    kind = value.pop("type", None)
    if kind != form.type:
        violation = Violation.MISSING if kind is None else Violation.UNSUPPORTED_VALUE
        raise InvalidRequest(status, InvalidValue("type", f"must be '{form.type}'", violation, kind))
    for name in form.without:
        if value.get(name) is not None:
            reason = "must not be in a message of a WebSocket"
            raise InvalidRequest(status, InvalidValue(name, reason, Violation.UNSUPPORTED_FIELD, value[name]))
    return to_json({**value, **form.sets}, inf_nan_mode="constants")


def _request(scope: Scope, method: str, headers: list[tuple[bytes, bytes]]) -> Scope:
    """Return the scope of a request over a WebSocket, whose client and keys are those of its handshake."""
    others = _OF_HANDSHAKE if method == "GET" else _OF_HANDSHAKE | {b"x-request-id"}
    own = [
        (name, value)
        for name, value in scope["headers"]
        if name not in others and not name.startswith(b"sec-websocket-")
    ]
    return {
        **scope,
        "type": "http",
        "method": method,
        "scheme": "https" if scope.get("scheme") == "wss" else "http",
        "headers": own + headers,
        "extensions": {},
        "state": dict(scope.get("state", {})),
    }


async def _empty() -> Message:
    return {"type": "http.request", "body": b""}
