"""Admission of requests before they are read, and the count of those that are refused."""

from collections.abc import Container

from handlers.active_requests.active_request import ActiveRequests
from verbatim_kit.errors import ToProblem
from verbatim_kit.runtime.operation import Operation
from verbatim_kit.runtime.problem import Problem, Unauthorized


class AdmissionControl:
    """A base of a contract's handlers: it implements `Admits` and `CountsRefusals` of the runtime."""

    def __init__(
        self,
        active_requests: ActiveRequests,
        to_problem: ToProblem,
        generates: Container[str],
        transcribes: Container[str] = (),
    ) -> None:
        """Keep the operations that need room in the engine, and are counted.

        generates: the handlers of operations whose texts or vectors the model computes.
        transcribes: the handlers of operations that write down speech.
        """
        self._active_requests = active_requests
        self._to_problem = to_problem
        self._generates = generates
        self._transcribes = transcribes

    def admit(self, operation: Operation) -> None:
        """Raise the contract's problem for an operation that the model does not serve, or for Overloaded if
        the server is full; before the body is read.
        """
        if self._is_counted(operation):
            self._active_requests.check_served(
                self._to_problem, is_speech=operation.handler in self._transcribes
            )
            self._active_requests.check_room(self._to_problem)

    def refused(self, operation: Operation, problem: Problem) -> None:
        """Count a request that never became an active one; a request without a valid key is not counted."""
        if self._is_counted(operation) and not isinstance(problem, Unauthorized):
            self._active_requests.refused(problem)

    def _is_counted(self, operation: Operation) -> bool:
        return operation.handler in self._generates or operation.handler in self._transcribes
