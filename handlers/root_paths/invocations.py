"""The operation `/invocations`, by which SageMaker sends all requests to a container."""

from collections.abc import Mapping
from typing import Final

import msgspec
from fastapi import FastAPI
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from verbatim_kit.runtime.body_thread import BodyThread

INVOCATIONS: Final = "/invocations"
_CHAT: Final = "/v1/chat/completions"
_OPERATIONS: Final[Mapping[str, str]] = {
    "messages": _CHAT,
    "prompt": "/v1/completions",
    "questions": "/v1/decisions",
    "input": "/v1/embeddings",
}
"""The operation of OpenAI's contract by the field that none of the later ones has."""


class Invocations:
    """Passes a request on to the operation of OpenAI's contract whose body it has, as vLLM does.

    A body with none of the fields goes to chat, which refuses it by the contract's error.
    """

    def __init__(self, server: ASGIApp, prefix: str, max_body_bytes: int, bodies: BodyThread) -> None:
        """Wrap a server.

        prefix: the prefix of OpenAI's contract in the server.
        max_body_bytes: the most bytes of a body that the contract's operations take.
        bodies: the thread in which long bodies are read.
        """
        self._server = server
        self._prefix = prefix
        self._max_body_bytes = max_body_bytes
        self._bodies = bodies

    def mount(self, shell: FastAPI) -> None:
        """Add the path to the shell."""
        # A route takes an object for an ASGI application, where it would call a function with a request.
        shell.router.routes.append(Route(INVOCATIONS, self, methods=["POST"]))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        messages = await self._read(receive)
        chunks = [message.get("body", b"") for message in messages]
        operation = await self._bodies.read(sum(map(len, chunks)), _operation_of, chunks)
        unread = iter(messages)

        async def receive_again() -> Message:
            message = next(unread, None)
            return await receive() if message is None else message

        path = scope.get("root_path", "") + self._prefix + operation
        scope.update(path=path, raw_path=path.encode())
        await self._server(scope, receive_again, send)

    async def _read(self, receive: Receive) -> list[Message]:
        """Return the messages with the body, or with as much of it as there may be."""
        messages: list[Message] = []
        num_bytes = 0
        while num_bytes <= self._max_body_bytes:
            message = await receive()
            messages.append(message)
            num_bytes += len(message.get("body", b""))
            if message["type"] != "http.request" or not message.get("more_body", False):
                break
        return messages


def _operation_of(chunks: list[bytes]) -> str:
    return operation_path(b"".join(chunks))


def operation_path(body: bytes) -> str:
    """Return the path, within OpenAI's contract, of the operation that a body is for."""
    try:
        fields = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, RecursionError):
        return _CHAT  # it refuses what is no JSON object
    return next((path for field, path in _OPERATIONS.items() if field in fields), _CHAT)
