"""The request around the body, in the form that handlers use."""

from collections.abc import Mapping
from time import perf_counter
from typing import Any, Final

from starlette.datastructures import Headers
from starlette.types import Scope

from verbatim_kit.runtime.operation import Operation
from verbatim_kit.runtime.problem import Problem
from verbatim_kit.runtime.reading.raw_request import raw_header
from verbatim_kit.runtime.request_id import request_id_of

ERROR: Final = "verbatim.error"
"""Where a request's scope has the kind of the error that is answered, for the log and metrics."""
CONNECTION: Final = "verbatim.connection"
"""Where the scope of a WebSocket's message has what handlers keep for its other messages."""
FAULT: Final = "verbatim.fault"
"""Where the scope of such a message has the problem that it is refused with, if its form is at fault."""
HANDSHAKE: Final = "verbatim.handshake"
"""What is in the scope of a request that asks for a WebSocket."""
_REQUEST_ID: Final = "verbatim.request_id"  # where a request's scope has its name


class RequestCall:
    """The implementation of `operation.Call` over an ASGI scope; headers are decoded on demand.

    operation: None where the request is for no operation.
    ignored_fields: the names of the body's fields that are taken without effect.
    """

    __slots__ = ("_answer_headers", "_headers", "_operation", "_scope", "ignored_fields", "received_s")

    def __init__(self, scope: Scope, operation: Operation | None) -> None:
        self.received_s = perf_counter()
        self._scope = scope
        self._operation = operation
        self._headers: Headers | None = None
        self._answer_headers: dict[str, object] = {}
        self.ignored_fields: set[str] = set()

    def has_arrived(self) -> None:
        """Note that the whole body has arrived: the time that a client took to send it is not
        the server's.
        """
        self.received_s = perf_counter()

    @property
    def headers(self) -> Mapping[str, str]:
        if self._headers is None:
            self._headers = Headers(scope=self._scope)
        return self._headers

    @property
    def path(self) -> str:
        return str(self._scope["path"])

    @property
    def request_id(self) -> str:
        """The request's one identifier, which `request_id_of` makes from the header X-Request-Id."""
        found: str | None = self._scope.get(_REQUEST_ID)
        if found is None:
            given = raw_header(self._scope, b"x-request-id")
            found = request_id_of(None if given is None else given.decode("latin-1"))
            self._scope[_REQUEST_ID] = found
        return found

    @property
    def connection(self) -> dict[str, Any] | None:
        found: dict[str, Any] | None = self._scope.get(CONNECTION)
        return found

    def answers_with(self, problem: Problem) -> None:
        """Note the error that is answered, by the name of its class, or of its cause's."""
        cause = problem.__cause__
        self._scope[ERROR] = type(cause if cause and type(problem) is Problem else problem).__name__

    def respond_with(self, headers: Mapping[str, object]) -> None:
        """Add headers to the successful answer. Raises RuntimeError if the document does not declare one."""
        assert self._operation is not None, "only an operation's handler answers"
        if not headers.keys() <= self._operation.headers.keys():
            names = ", ".join(sorted(headers.keys() - self._operation.headers.keys()))
            raise RuntimeError(f"{self._operation.id} declares no response header {names}")
        self._answer_headers.update(headers)

    @property
    def has_required_headers(self) -> bool:
        """True if the handler has added all headers that the document requires of a successful answer."""
        return not self._missing_headers()

    def answer_headers(self) -> list[tuple[bytes, bytes]]:
        """Return the successful answer's headers in ASGI's form. Raises RuntimeError if a required one
        is missing.
        """
        if missing := self._missing_headers():
            assert self._operation is not None
            raise RuntimeError(f"{self._operation.id} must answer with the header {missing[0]}")
        return [(name.encode(), _header_value(value)) for name, value in self._answer_headers.items()]

    def _missing_headers(self) -> list[str]:
        assert self._operation is not None, "only an operation's handler answers"
        declared = self._operation.headers.items()
        return [name for name, is_required in declared if is_required and name not in self._answer_headers]


def _header_value(value: object) -> bytes:
    """Return a JSON scalar in OpenAPI's `simple` style."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text.encode("latin-1")
