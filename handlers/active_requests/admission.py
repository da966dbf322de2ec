"""Admission of requests before they are read, and the count of those that are refused."""

from collections.abc import Container

from generated.operation import Operation
from handlers.active_requests.active_request import ActiveRequests
from handlers.errors.mapping import ToProblem
from handlers.runtime.problem import Problem, Unauthorized


class AdmissionControl:
    """A base of a contract's handlers: it implements `Admits` and `CountsRefusals` of the runtime."""

    def __init__(
        self, active_requests: ActiveRequests, to_problem: ToProblem, generates: Container[str]
    ) -> None:
        """generates: the handlers of operations that need room in the engine, and are counted."""
        self._active_requests = active_requests
        self._to_problem = to_problem
        self._generates = generates

    def admit(self, operation: Operation) -> None:
        """Raise the contract's problem for Overloaded if the operation generates and the server is full."""
        if operation.handler in self._generates:
            self._active_requests.check_room(self._to_problem)

    def refused(self, operation: Operation, problem: Problem) -> None:
        """Count a request that never became an active one; a request without a valid key is not counted."""
        if operation.handler in self._generates and not isinstance(problem, Unauthorized):
            self._active_requests.refused(problem)
