"""A client's settings for reaching its server."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypedDict

import httpx
from httpx_retries import Retry
from httpx_sse import SSEError

from .errors import APIConnectionError, APIResponseValidationError, APITimeoutError
from .operation import Arguments, Operation, parameter_texts, query_texts
from .upload import form_parts

DEFAULT_SERVER = "http://127.0.0.1:8080"
DEFAULT_TIMEOUT = httpx.Timeout(600, connect=5)
DEFAULT_RETRIES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """The parts that all operations of a contract share.

    path: where the server has the contract. key_header, key_prefix: how a key is sent.
    agent: this package and the contract, with their versions.
    """

    path: str
    agent: str
    key_header: str = "authorization"
    key_prefix: str = "Bearer "


class Changes(TypedDict, total=False):
    """The settings that `with_options` can change."""

    base_url: str
    api_key: str | None
    timeout: float | httpx.Timeout | None
    max_retries: int
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """A client's options, the same for every call.

    base_url: what stands before the paths of the contract's document.
    timeout: seconds for connecting, for sending, and between two pieces of an answer; None waits for ever.
    max_retries: how often a request that surely was not worked on is sent again: one that could not be
    delivered, and one answered by 429, 503 or 529. `Retry-After` says when, up to a minute; else the waits
    double from half a second. Anything else may have been worked on, and generating twice is not what was
    asked.
    """

    base_url: str
    api_key: str | None
    timeout: float | httpx.Timeout | None
    max_retries: int
    headers: Mapping[str, str]

    def request(
        self, contract: Contract, operation: Operation[Any, Any], arguments: Arguments
    ) -> dict[str, Any]:
        """The keyword arguments of `httpx.Client.build_request`."""
        headers = {"user-agent": contract.agent}
        body: dict[str, Any] = {}
        if operation.files is not None:
            body["files"] = form_parts(arguments.body, operation.files, operation.wire_names)
        elif arguments.body is not None:
            body["content"] = arguments.content
            headers["content-type"] = "application/json"
        if self.api_key is not None:
            headers[contract.key_header] = contract.key_prefix + self.api_key
        return {
            "method": operation.method,
            "url": self.base_url.rstrip("/") + operation.url(arguments.path),
            "params": query_texts(arguments.query),
            "headers": headers | parameter_texts(arguments.headers) | dict(self.headers),
            **body,
            "timeout": self.timeout,
            "extensions": {"retry": self._retry()},
        }

    def _retry(self) -> Retry:
        return Retry(
            total=self.max_retries,
            allowed_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
            status_forcelist=[429, 503, 529],
            retry_on_exceptions=[httpx.ConnectError, httpx.ConnectTimeout],
            backoff_factor=0.25,
            backoff_jitter=0.25,
            max_backoff_wait=60,
        )


@contextmanager
def transport_errors() -> Iterator[None]:
    """Raises what httpx raises as what this package does."""
    try:
        yield
    except httpx.TimeoutException as error:
        raise APITimeoutError(f"no answer in time: {error!r}") from error
    except SSEError as error:
        raise APIResponseValidationError(f"not an event stream: {error}", "") from error
    except httpx.TransportError as error:
        raise APIConnectionError(f"no whole answer: {error!r}") from error
