"""The contract's operation."""

from typing import final

from typing_extensions import override

from generated.mindie import models as m
from generated.mindie.operations import NoHeaders, Operations
from generated.operation import Call, EventStream, Operation
from handlers.mindie.chat import Chat
from handlers.mindie.errors import told
from handlers.mindie.service import Service
from handlers.runtime.problem import Problem, Unauthorized
from handlers.service.shared import Shared


@final
class MindieHandlers(Operations):
    """Answers conversations; streams where the client asked for it."""

    def __init__(self, shared: Shared) -> None:
        self._service = Service(shared)
        self._chat = Chat(self._service)

    @override
    async def chat_completions(
        self, body: m.ChatRequest, call: Call[NoHeaders]
    ) -> m.ChatCompletion | EventStream[m.ChatCompletionEvent]:
        if body.stream:
            return self._chat.stream(body, call)
        return await self._chat.whole(body, call)

    def admit(self, operation: Operation) -> None:
        """Refuses what generates while the server is full."""
        self._service.exchanges.check_room(told)

    def refused(self, operation: Operation, problem: Problem) -> None:
        """Counts what never became an exchange; strangers without a key are no requests."""
        if not isinstance(problem, Unauthorized):
            self._service.exchanges.refused(problem)
