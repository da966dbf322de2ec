"""A server that answers what it is told, and remembers what it was asked."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from typing_extensions import override

EVENTS = "text/event-stream"


@dataclass
class Reply:
    """body: text as it is, else as JSON. waits: sends it again and again until the client leaves."""

    status: int = 200
    body: Any = ""
    headers: dict[str, str] = field(default_factory=dict)
    media_type: str = "application/json"
    waits: bool = False


@dataclass
class Script:
    """The replies, one per request and the last repeated, and the requests that came."""

    url: str
    replies: list[Reply] = field(default_factory=list)
    requests: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)
    client_left: threading.Event = field(default_factory=threading.Event)

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Takes down the request, and answers it with the next reply."""
        content = handler.rfile.read(int(handler.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in handler.headers.items()}
        self.requests.append((handler.command, handler.path, headers, content))
        reply = self.replies[min(len(self.requests), len(self.replies)) - 1]
        text = reply.body if isinstance(reply.body, str) else json.dumps(reply.body)
        handler.send_response(reply.status)
        for name, value in {"content-type": reply.media_type, **reply.headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        try:
            handler.wfile.write(text.encode())
            while reply.waits:
                handler.wfile.write(text.encode())
        except OSError:
            self.client_left.set()


@contextmanager
def scripted_server() -> Iterator[Script]:
    """On a free port of 127.0.0.1."""

    class Handler(BaseHTTPRequestHandler):
        disable_nagle_algorithm = True  # else a body waits 40 ms for the head to be acknowledged

        def do_POST(self) -> None:
            script.answer(self)

        do_GET = do_POST

        @override
        def log_message(self, *words: Any) -> None:
            """A test's output is no access log."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        script = Script(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield script
        finally:
            server.shutdown()
            thread.join()
