"""The check of one answer between the endpoint that gives it and the server that sends it."""

import logging

from starlette.types import Message, Receive, Scope, Send

from verbatim_kit.judge.answer import request_value
from verbatim_kit.judge.exchange import Exchange, Fault
from verbatim_kit.judge.judge import DeclaredOperation
from verbatim_kit.judge.streams.stream import StreamJudge

logger = logging.getLogger(__name__)


class AnswerRefused(Exception):
    """The answer differs from the document, and is not sent."""

    def __init__(self, operation: DeclaredOperation, faults: list[Fault]) -> None:
        message = "; ".join(f"{fault.place}: {fault.message}" for fault in faults)
        super().__init__(f"{operation.id} answers what its document does not state: {message}")


class AnswerWatch:
    """The receive and send functions in place of the server's. has_sent: whether anything was sent.

    refuses: whether a faulty answer is held back. Then `send` raises AnswerRefused, for a begun stream only
    once, since the next event reports the refusal. Faults are logged either way.
    """

    def __init__(
        self, operation: DeclaredOperation, scope: Scope, receive: Receive, send: Send, *, refuses: bool
    ) -> None:
        self._operation = operation
        self._scope = scope
        self._receive = receive
        self._send = send
        self._refuses = refuses
        self._request = b""
        self._head: Message | None = None
        self._stream: StreamJudge | None = None
        self._refusal: AnswerRefused | None = None
        self.has_sent = False

    async def receive(self) -> Message:
        """Return the client's message, and keep it, since laws may depend on it."""
        message = await self._receive()
        if message["type"] == "http.request":
            self._request += message.get("body", b"")
        return message

    async def send(self, message: Message) -> None:
        """Send a message without faults; the head of an answer waits for the first part of its body."""
        if message["type"] == "http.response.start":
            self._head = message
            self._open_stream(message)
            return
        if self._refusal is None:
            self._answer_for(self._stream_faults(message) if self._stream else self._faults(message))
        elif not self.has_sent:
            raise self._refusal  # the status can still report it
        if self._head is not None and not self.has_sent:
            self.has_sent = True
            await self._send(self._head)
        await self._send(message)

    def _open_stream(self, head: Message) -> None:
        declared, headers = self._operation.answers.get(head["status"]), _decoded(head)
        rules = declared.events(headers) if declared else None
        if declared is None or rules is None or self._scope["method"] == "HEAD":
            return
        self._stream = StreamJudge(rules, request_value(self._request))
        self._answer_for(declared.head_faults(headers))

    def _stream_faults(self, message: Message) -> list[Fault]:
        assert self._stream is not None
        faults = self._stream.feed(message.get("body", b""))
        return faults if message.get("more_body") else faults + self._stream.end()

    def _faults(self, message: Message) -> list[Fault]:
        """Return the faults of an answer in one piece; of a file in several, those of its head."""
        assert self._head is not None
        if self.has_sent or message.get("more_body"):
            declared = self._operation.answers.get(self._head["status"])
            return [] if declared is None else declared.head_faults(_decoded(self._head))
        exchange = Exchange(
            self._scope["method"],
            self._scope["path"],
            self._request,
            self._head["status"],
            _decoded(self._head),
            message.get("body", b""),
        )
        return self._operation.faults(exchange)

    def _answer_for(self, faults: list[Fault]) -> None:
        for fault in faults:
            logger.error("%s %s: %s", self._operation.id, fault.place, fault.message)
        if faults and self._refuses:
            self._refusal = AnswerRefused(self._operation, faults)
            raise self._refusal


def _decoded(head: Message) -> list[tuple[str, str]]:
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in head["headers"]]
