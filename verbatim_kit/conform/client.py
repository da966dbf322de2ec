"""An HTTP client that sends requests to the server under test."""

import json
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import httpx

from verbatim_kit.conform.request import Request


class Answer(NamedTuple):
    """The HTTP response to a request.

    headers: in the order received, duplicates included; names in lower case. body: complete, also for a
    stream. seconds: time from sending the request until the body was read.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    seconds: float

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")

    @property
    def json(self) -> Any:
        """The parsed JSON body; None if the body is not JSON."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    @property
    def media_type(self) -> str:
        """The media type from `content-type`, without parameters; empty without that header."""
        found = next((value for name, value in self.headers if name == "content-type"), "")
        return found.partition(";")[0].strip().lower()


class NoAnswer(Exception):
    """The connection failed or timed out, or the server does not speak HTTP."""


class Client:
    """An HTTP client for one server; safe to share between threads.

    url: base URL that request paths are appended to. headers: sent with every request. timeout_s: of each
    request.
    """

    def __init__(self, url: str, headers: Mapping[str, str], timeout_s: float) -> None:
        self.url = url.rstrip("/")
        self.headers = dict(headers)
        self._http = httpx.Client(timeout=timeout_s, headers=self.headers, follow_redirects=False)

    def send(self, request: Request) -> Answer:
        """Send a request and read the complete response. Raises NoAnswer."""
        content = request.content
        headers = {**request.headers, **({"content-type": "application/json"} if content is not None else {})}
        began_s = time.perf_counter()
        try:
            answer = self._http.request(
                request.method, self.url + request.path, content=content, headers=headers
            )
        except httpx.HTTPError as error:
            raise NoAnswer(
                f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            ) from error
        fields = tuple((name.lower(), value) for name, value in answer.headers.multi_items())
        return Answer(answer.status_code, fields, answer.content, time.perf_counter() - began_s)

    def close(self) -> None:
        self._http.close()
