"""What differs between contracts besides their operations: errors, and what every answer tells."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from importlib.resources import files
from typing import ClassVar

from pydantic import BaseModel

from generated.operation import Operation

from .call import RequestCall
from .problem import Problem


class Contract(ABC):
    """A contract's manners. `name` is that of its folder in specs/ and generated/, and of its path prefix.

    has_comments: whether comments keep a silent stream open, which clients must pass over (HTML, 9.2.6).
    probes: ids of the operations by which others watch whether the server lives; no setting closes these.
    """

    name: ClassVar[str]
    has_comments: ClassVar[bool] = True
    probes: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def error_body(self, problem: Problem, operation: Operation | None, call: RequestCall) -> BaseModel:
        """The body of an error answer; no operation where none has the path or the method.

        call: the request, which some contracts name in the body too.
        For an operation it must be what the document declares for `problem.status`.
        """

    def error_event(self, problem: Problem, operation: Operation, call: RequestCall) -> BaseModel:
        """The event that tells of an error after the first event; the document must admit it as an event."""
        return self.error_body(problem, operation, call)

    def headers(self, call: RequestCall) -> Mapping[str, str]:
        """Headers of every answer, whatever its status; names in lower case.

        The document must declare them for each response of each operation.
        """
        return {}

    def document(self) -> bytes:
        """The effective OpenAPI document, as it is served."""
        return files(f"generated.{self.name}").joinpath("openapi.json").read_bytes()
