"""Sends requests to the server that is checked."""

import json
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import httpx

from handlers.conform.request import Request


class Answer(NamedTuple):
    """headers: names in lower case, repeated ones as they came. body: whole, a stream's too."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    seconds: float

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")

    @property
    def json(self) -> Any:
        """The body as JSON; None where it is none."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    @property
    def media_type(self) -> str:
        """The media type of the content type, without its parameters; empty if there is none."""
        found = next((value for name, value in self.headers if name == "content-type"), "")
        return found.partition(";")[0].strip().lower()


class NoAnswer(Exception):
    """The server closed the connection, was too slow, or does not speak HTTP."""


class Client:
    """A connection to one server; threads may share it. url: where the contract's paths begin."""

    def __init__(self, url: str, headers: Mapping[str, str], timeout_s: float) -> None:
        self.url = url.rstrip("/")
        self.headers = dict(headers)
        self._http = httpx.Client(timeout=timeout_s, headers=self.headers, follow_redirects=False)

    def send(self, request: Request) -> Answer:
        """Raises NoAnswer."""
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
