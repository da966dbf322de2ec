"""A server that claims a slice of OpenAI's contract and keeps it wrongly, each fault in a place of its own.

Which faults it has is said by name; without any, it keeps the slice.
"""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Final

from typing_extensions import override

FAULTS: Final = (
    "wrong media type",
    "undeclared status",
    "missing member",
    "wrong type",
    "undeclared member",
    "accepts too much",
    "refuses too much",
    "names no field",
    "fails",
    "no terminator",
    "event after the terminator",
    "other text",
    "no stream",
    "not there",
)

_MODEL: Final = "small"
_WORDS: Final = ("Hello", " there", ".")
_BASE: Final = {"id": "chatcmpl-1", "created": 1, "model": _MODEL, "system_fingerprint": "fp_0123456789"}
_USAGE: Final = {
    "prompt_tokens": 1,
    "completion_tokens": 3,
    "total_tokens": 4,
    "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
    "completion_tokens_details": {
        "reasoning_tokens": 0,
        "audio_tokens": 0,
        "accepted_prediction_tokens": 0,
        "rejected_prediction_tokens": 0,
    },
}


class FaultyServer:
    """On a free port of this machine, until `stop`. faults: of FAULTS."""

    def __init__(self, *faults: str) -> None:
        assert set(faults) <= set(FAULTS)

        class Handler(_Handler):
            has = frozenset(faults)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        # `stop` waits until the server looks again.
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    has: frozenset[str]
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else a body waits 40 ms for the head to be acknowledged

    @override
    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""

    def do_GET(self) -> None:
        if self.path != "/v1/models":
            self._refuse(404, None, "there is no such path")
            return
        model = {"id": _MODEL, "object": "model", "created": 1, "owned_by": "nobody"}
        self._answer(200, {"object": "list", "data": [model]})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path != "/v1/chat/completions" or "not there" in self.has:
            self._refuse(404, None, "there is no such path")
            return
        try:
            request = json.loads(body)
            assert isinstance(request, dict)
        except (ValueError, AssertionError):
            self._refuse(400, None, "the body is no JSON object")
            return
        self._chat(request)

    def _chat(self, request: dict[str, Any]) -> None:
        field = self._fault_of(request)
        if field is not None:
            self._refuse(400, None if "names no field" in self.has else field, "it is wrong")
        elif "fails" in self.has and request.get("seed") == 2**63 - 1:
            self._refuse(500, None, "out of order")
        elif request.get("stream") and "no stream" not in self.has:
            self._stream(request)
        else:
            self._whole(request.get("n") or 1)

    def _fault_of(self, request: dict[str, Any]) -> str | None:
        temperature = request.get("temperature")
        top = 3 if "accepts too much" in self.has else 2
        if isinstance(temperature, bool) or not isinstance(temperature, int | float | None):
            return "temperature"
        if temperature is not None and not 0 <= temperature <= top:
            return "temperature"
        if "refuses too much" in self.has and request.get("top_p") == 1:
            return "top_p"
        return next((name for name in ("model", "messages") if not request.get(name)), None)

    def _whole(self, num_choices: int) -> None:
        message: dict[str, Any] = {"role": "assistant", "content": "".join(_WORDS), "refusal": None}
        if "undeclared member" in self.has:
            message["mood"] = "good"
        choice = {"message": message, "logprobs": None, "finish_reason": "stop"}
        choices = [{"index": index, **choice} for index in range(num_choices)]
        answer = {**_BASE, "object": "chat.completion", "choices": choices, "usage": _USAGE}
        if "missing member" in self.has:
            del answer["choices"]
        if "wrong type" in self.has:
            answer["created"] = "yesterday"
        status = 202 if "undeclared status" in self.has else 200
        self._answer(status, answer, "text/plain" if "wrong media type" in self.has else "application/json")

    def _stream(self, request: dict[str, Any]) -> None:
        events = [f"data: {json.dumps(chunk)}\n\n" for chunk in self._chunks(request)]
        if "no terminator" not in self.has:
            events.append("data: [DONE]\n\n")
        if "event after the terminator" in self.has:
            events.append(events[0])
        self._send(200, "".join(events).encode(), "text/event-stream; charset=utf-8")

    def _chunks(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        words = ("Bye", ".") if "other text" in self.has else _WORDS
        deltas = [{"role": "assistant", "content": ""}, *({"content": word} for word in words), {}]
        has_usage = bool((request.get("stream_options") or {}).get("include_usage"))
        base = {**_BASE, "object": "chat.completion.chunk", **({"usage": None} if has_usage else {})}
        for index in range(request.get("n") or 1):
            for delta in deltas:
                finish = None if delta else "stop"
                choice = {"index": index, "delta": delta, "logprobs": None, "finish_reason": finish}
                yield {**base, "choices": [choice]}
        if has_usage:
            yield {**base, "choices": [], "usage": _USAGE}

    def _refuse(self, status: int, field: str | None, message: str) -> None:
        error = {"message": message, "type": "invalid_request_error", "param": field, "code": None}
        self._answer(status, {"error": error})

    def _answer(self, status: int, value: Any, media_type: str = "application/json") -> None:
        self._send(status, json.dumps(value).encode(), media_type)

    def _send(self, status: int, body: bytes, media_type: str) -> None:
        self.send_response(status)
        self.send_header("content-type", media_type)
        self.send_header("content-length", str(len(body)))
        self.send_header("x-request-id", "1")
        self.end_headers()
        self.wfile.write(body)
