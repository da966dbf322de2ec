"""The differences between contracts besides their operations: their errors and common headers."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import ClassVar

from pydantic import BaseModel

from verbatim_kit.runtime.call import RequestCall
from verbatim_kit.runtime.operation import Operation
from verbatim_kit.runtime.problem import Problem


class Contract(ABC):
    """A contract's errors, headers and document.

    name: that of its folder in specs/ and generated/, and of its path prefix.

    has_comments: whether comments keep a silent stream of events open, which clients must ignore (HTML,
        9.2.6). Without them, as for a stream of lines, only its status is sent early.
    base_path: the part of its paths that clients have in their base URL: `/v1` for OpenAI's.
    marking_header: the header, in lower case, that this contract's clients send and no others do. At the
        root, such a request is this contract's even if another contract has the path.
    yields: paths that at the root are another contract's wherever another one there has them.
    probes: ids of the operations by which others check that the server is alive; no setting closes these.
    """

    name: ClassVar[str]
    has_comments: ClassVar[bool] = True
    base_path: ClassVar[str] = ""
    marking_header: ClassVar[str | None] = None
    yields: ClassVar[frozenset[str]] = frozenset()
    probes: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def error_body(self, problem: Problem, operation: Operation | None, call: RequestCall) -> BaseModel:
        """Return the body of an error answer, which must be what the document declares for `problem.status`.

        operation: None where no operation has the path or the method.
        call: the request, whose id some contracts put into the body too.
        """

    def error_event(self, problem: Problem, operation: Operation, call: RequestCall) -> BaseModel:
        """Return the event that reports an error after the first event; the document must allow it."""
        return self.error_body(problem, operation, call)

    def web_socket_error(self, status: int, body: bytes) -> bytes:
        """Return the message that reports an error over a WebSocket.

        status, body: of the answer that reports it over HTTP; the body may be an event of a stream.
        """
        return body

    def headers(self, call: RequestCall) -> Mapping[str, str]:
        """Return the headers of every answer, whatever its status; names in lower case.

        The document must declare them for each response of each operation.
        """
        return {}

    def document(self) -> bytes:
        """Return the effective OpenAPI document, as it was generated."""
        return _document(self.name)


@cache  # each is served at the root and under its prefix
def _document(name: str) -> bytes:
    return files(f"generated.{name}").joinpath("openapi.json").read_bytes()
