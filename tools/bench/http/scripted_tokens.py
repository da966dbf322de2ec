"""A scripted server with vLLM's token API, which needs no model."""

import argparse
import asyncio
import json
import socket
from collections.abc import Iterator
from typing import Any, Final, cast

import httptools
import uvloop
from typing_extensions import override

from engine.demo_model import DEMO_MODEL
from engine.port.text.tokenizer import Tokenizer

_TEXT: Final = "The server answers each request with these words, one after another, until it has enough. "
_MAX_LENGTH: Final = 2048
_STREAM_HEAD: Final = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n"
)
_DONE: Final = b"data: [DONE]\n\n"
_EVENT: Final = (
    b'data: {"request_id":"generate-tokens-bench","choices":[{"index":0,"logprobs":null,'
    b'"finish_reason":%b,"stop_reason":null,"token_ids":[%d]}],"usage":null,"prompt_logprobs":null,'
    b'"kv_transfer_params":null}\n\n'
)


class Steps:
    """The steps of an engine: each sends the next token to all streams, with a separate write for each."""

    def __init__(self, token_ids: list[int], step_s: float) -> None:
        """Create the object. Requires a running event loop. step_s: time between the starts of two steps."""
        self._token_ids = token_ids
        self._step_s = step_s
        self._loop = asyncio.get_running_loop()
        self._left: dict[asyncio.Transport, Iterator[int]] = {}  # the remaining tokens, by stream
        self._is_running = False

    @property
    def num_streams(self) -> int:
        return len(self._left)

    def add(self, transport: asyncio.Transport, num_tokens: int) -> None:
        transport.write(_STREAM_HEAD)
        self._left[transport] = iter(range(num_tokens - 1, -1, -1))
        if not self._is_running:
            self._is_running = True
            self._loop.call_later(self._step_s, self._step)

    def remove(self, transport: asyncio.Transport) -> None:
        self._left.pop(transport, None)

    def _step(self) -> None:
        self._is_running = bool(self._left)
        if not self._is_running:
            return
        self._loop.call_later(self._step_s, self._step)
        for transport, left in list(self._left.items()):
            num_left = next(left)
            token_id = self._token_ids[num_left % len(self._token_ids)]
            reason = b"null" if num_left else b'"length"'
            transport.write(_chunk(_EVENT % (reason, token_id)))
            if not num_left:
                transport.write(_chunk(_DONE) + b"0\r\n\r\n")
                self.remove(transport)


class TokenProtocol(asyncio.Protocol):
    """A persistent connection. Requests are not validated."""

    def __init__(self, steps: Steps, model: str) -> None:
        self._steps = steps
        self._model = model
        self._transport: asyncio.Transport | None = None
        self._parser = httptools.HttpRequestParser(self)
        self._path = b""
        self._body = bytearray()

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's have another base class

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        assert self._transport is not None
        self._steps.remove(self._transport)

    @override
    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_url(self, url: bytes) -> None:
        self._path = url
        self._body.clear()

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        assert self._transport is not None
        if self._path == b"/v1/models":
            self._answer({"data": [{"id": self._model, "max_model_len": _MAX_LENGTH}]})
        elif not self._body:  # health and metrics
            self._answer({})
        elif (asked := json.loads(self._body)).get("stream"):
            self._steps.add(self._transport, asked["sampling_params"]["max_tokens"])
        else:
            self._answer({"choices": [{"index": 0, "token_ids": [0], "finish_reason": "length"}]})

    def _answer(self, document: dict[str, Any]) -> None:
        assert self._transport is not None
        body = json.dumps(document).encode()
        head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body)
        self._transport.write(head + body)


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


async def _serve(listener: socket.socket, model: str, step_s: float) -> None:
    tokenizer = Tokenizer.from_directory(DEMO_MODEL, vocab_size=1 << 20, end_token_ids=())
    steps = Steps(tokenizer.encode(_TEXT), step_s)
    server = await asyncio.get_running_loop().create_server(
        lambda: TokenProtocol(steps, model), sock=listener
    )
    await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--served-model-name", required=True)
    parser.add_argument("--step-ms", type=float, required=True)
    given = parser.parse_args()
    listener = socket.create_server(("127.0.0.1", given.port), backlog=2048)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(listener, given.served_model_name, given.step_ms / 1e3))


if __name__ == "__main__":
    main()
