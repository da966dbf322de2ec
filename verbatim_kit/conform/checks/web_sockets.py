"""The check of operations that take messages of WebSockets: answers, as those of requests, and errors."""

import json
import time
from collections.abc import Iterator
from typing import Any, Final, Self

from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from verbatim_kit.conform.client import Answer, NoAnswer
from verbatim_kit.conform.document import WEB_SOCKET, Endpoint, Json
from verbatim_kit.conform.finding import FoundFault, Instance
from verbatim_kit.conform.request import Request
from verbatim_kit.conform.target import Target, no_answer
from verbatim_kit.judge.references import resolve
from verbatim_kit.judge.schemas import Schemas

# Texts that are no message of any form.
_MALFORMED: Final = (
    "",
    "{",
    "[]",
    "null",
    "1",
    '"a"',
    "{}",
    '{"type": "none"}',
    '{"type": 1}',
    '{"type": null}',
)
_OF_HANDSHAKE: Final = ("connection", "upgrade", "date", "server", "content-length", "content-type")


def web_socket_faults(
    target: Target, endpoint: Endpoint, timeout_s: float
) -> Iterator[tuple[int, list[FoundFault]]]:
    """Yield the number of messages and the faults: of the examples, then of what is no valid message."""
    with SocketClient(target, endpoint, timeout_s) as client:
        for name, request in target.table.examples(endpoint):
            label = f"example {name}, over a WebSocket"
            yield 1, list(_example_faults(target, endpoint, client, label, request))
        first: Json = next((request.body for _, request in target.table.examples(endpoint)), {})
        forbidden = [json.dumps({**json.loads(client.message(first)), name: True}) for name in client.without]
        for text in (*_MALFORMED, *forbidden):
            yield 1, list(_malformed_faults(endpoint, client, text))


def message_faults(
    target: Target, endpoint: Endpoint, client: "SocketClient", label: str, request: Request, answer: Answer
) -> Iterator[FoundFault]:
    """Yield the differences between the answer to a message and the document. request: that it makes."""
    if answer.status == 200:
        yield from target.judged(label, request._replace(body={**request.body, **client.sets}), answer)
        return
    if answer.status not in endpoint.statuses:
        message = f"{answer.status} is not declared"
        yield FoundFault(
            "The error over a WebSocket is not as declared", Instance(label, message, request, answer)
        )
    yield from client.error_faults(label, request, answer)


def _example_faults(
    target: Target, endpoint: Endpoint, client: "SocketClient", label: str, request: Request
) -> Iterator[FoundFault]:
    try:
        answer = client.send(client.message(request.body))
    except NoAnswer as error:
        yield no_answer(label, request, error)
        return
    is_excused = target.table.may_be_refused(endpoint, request.body)
    if answer.status >= 400 and not (is_excused and answer.status == endpoint.validation_status):
        message = f"{answer.status}: {answer.text[:300]}"
        yield FoundFault("The document's own example is refused", Instance(label, message, request, answer))
    yield from message_faults(target, endpoint, client, label, request, answer)


def _malformed_faults(endpoint: Endpoint, client: "SocketClient", text: str) -> Iterator[FoundFault]:
    label = f"message {text[:60]!r}"
    request = Request("GET", endpoint.path, raw=text.encode())
    try:
        answer = client.send(text)
    except NoAnswer as error:
        yield no_answer(label, request, error)
        return
    if answer.status != endpoint.validation_status:
        message = f"It was answered with {answer.status}; the document requires {endpoint.validation_status}"
        yield FoundFault(
            "A message of another form is not refused", Instance(label, message, request, answer)
        )
    if answer.status != 200:
        yield from client.error_faults(label, request, answer)


class SocketClient:
    """A client of WebSockets, whose answers are given in the form that they have over HTTP.

    timeout_s: of each message.
    """

    def __init__(self, target: Target, endpoint: Endpoint, timeout_s: float) -> None:
        document = target.document
        operation = document["paths"][endpoint.path][endpoint.method.lower()]
        self._said = operation[WEB_SOCKET]
        schemas = Schemas(dict(document))
        self._error = schemas.rule(self._said["error"])
        content = resolve(document, operation["responses"]["200"])["content"]
        self._stream = content["text/event-stream"]
        law = self._stream["x-stream"][0]
        self._ends = schemas.condition({"anyOf": [law["last"], law["failure"]]})
        self._url = f"{target.client.url.replace('http', 'ws', 1)}{endpoint.path}"
        self._headers = target.client.headers
        self._timeout_s = timeout_s
        self._connection: ClientConnection | None = None

    @property
    def sets(self) -> dict[str, Json]:
        """The members that the server adds to a message."""
        found: dict[str, Json] = self._said.get("sets", {})
        return found

    @property
    def without(self) -> tuple[str, ...]:
        """The members that no message may have."""
        return tuple(self._said.get("without", ()))

    def message(self, body: dict[str, Json]) -> str:
        """Return the message that makes a request with a body."""
        kept = {name: value for name, value in body.items() if name not in self.without}
        return json.dumps({"type": self._said["type"], **kept})

    def send(self, text: str) -> Answer:
        """Send a message and return its answer. Raises NoAnswer."""
        began_s = time.perf_counter()
        try:
            connection = self._connect()
            connection.send(text)
            events: list[tuple[bytes, Any]] = []
            while not events or not self._is_end(events[-1][1]):
                data = connection.recv(self._timeout_s, decode=False)
                events.append((data, json.loads(data)))
        except (WebSocketException, OSError, ValueError) as error:
            self.close()
            raise NoAnswer(f"{type(error).__name__}: {error}") from error
        answer = self._answer(events, time.perf_counter() - began_s)
        if answer.status != 200:
            self.close()  # a server may bound how many errors a connection gets
        return answer

    def error_faults(self, label: str, request: Request, answer: Answer) -> Iterator[FoundFault]:
        """Yield the differences between an error and the schema of errors."""
        for fault in self._error.faults(answer.json, ""):
            message = f"{fault.place}: {fault.message}"
            yield FoundFault(
                "The error over a WebSocket is not as declared", Instance(label, message, request, answer)
            )

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _connect(self) -> ClientConnection:
        if self._connection is None:
            self._connection = connect(
                self._url, additional_headers=self._headers, open_timeout=self._timeout_s
            ).__enter__()
        return self._connection

    def _is_end(self, event: Any) -> bool:
        return _is_error(event) or self._ends.allows(event)

    def _answer(self, events: list[tuple[bytes, Any]], seconds: float) -> Answer:
        assert self._connection is not None and self._connection.response is not None
        headers = tuple(
            (name.lower(), value)
            for name, value in self._connection.response.headers.raw_items()
            if name.lower() not in _OF_HANDSHAKE and not name.lower().startswith("sec-websocket-")
        )
        last, value = events[-1]
        if _is_error(value):
            return Answer(value["status"], headers, last, seconds)
        frames = b"".join(map(self._frame, *zip(*events, strict=True)))
        end = self._stream.get("x-sse-terminator")
        tail = f"data: {end}\n\n".encode() if end else b""
        content = ("content-type", "text/event-stream")
        return Answer(200, (content, *headers), frames + tail, seconds)

    def _frame(self, data: bytes, event: Any) -> bytes:
        name = self._stream.get("x-sse-event-name")
        line = f"event: {event.get(name)}\n".encode() if name else b""
        return line + b"data: " + data + b"\n\n"


def _is_error(event: Any) -> bool:
    """Return whether a message reports an error in place of events."""
    return isinstance(event, dict) and isinstance(event.get("status"), int)
