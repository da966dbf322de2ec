"""What differs between contracts besides their operations: the wire form of errors."""

from abc import ABC, abstractmethod
from importlib.resources import files
from typing import ClassVar

from pydantic import BaseModel

from generated.operation import Operation

from .problem import Problem


class Contract(ABC):
    """A contract's manners. `name` is that of its folder in specs/ and generated/, and of its path prefix."""

    name: ClassVar[str]

    @abstractmethod
    def error_body(self, problem: Problem, operation: Operation | None) -> BaseModel:
        """The body of an error answer; no operation where none has the path or the method.

        For an operation it must be what the document declares for `problem.status`.
        """

    def error_event(self, problem: Problem, operation: Operation) -> BaseModel:
        """The event that tells of an error after the first event; the document must admit it as an event."""
        return self.error_body(problem, operation)

    def document(self) -> bytes:
        """The effective OpenAPI document, as it is served."""
        return files(f"generated.{self.name}").joinpath("openapi.json").read_bytes()
