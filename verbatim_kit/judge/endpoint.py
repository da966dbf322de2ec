"""Endpoints whose answers are checked before they are sent."""

import json
from functools import lru_cache

from starlette.types import Receive, Scope, Send
from typing_extensions import override

from verbatim_kit.judge.judge import DeclaredOperation, Judge
from verbatim_kit.judge.watch import AnswerRefused, AnswerWatch
from verbatim_kit.runtime.answering.reply import Reply
from verbatim_kit.runtime.call import RequestCall
from verbatim_kit.runtime.contract import Contract
from verbatim_kit.runtime.endpoint import Endpoint
from verbatim_kit.runtime.operation import Handlers, Operation
from verbatim_kit.runtime.runtime_options import RuntimeOptions


class CheckedEndpoint(Endpoint):
    """An endpoint with its operation's declaration.

    refuses: whether an answer that differs from it becomes 500, or the contract's error event where a stream
    has begun; otherwise it is sent, and its faults are logged.
    """

    def __init__(
        self,
        operation: Operation,
        handlers: Handlers,
        contract: Contract,
        options: RuntimeOptions,
        *,
        declared: DeclaredOperation,
        refuses: bool,
    ) -> None:
        super().__init__(operation, handlers, contract, options)
        self._declared_answers = declared
        self._refuses = refuses

    @override
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        watch = AnswerWatch(self._declared_answers, scope, receive, send, refuses=self._refuses)
        try:
            await super().__call__(scope, watch.receive, watch.send)
        except AnswerRefused as refusal:
            call = RequestCall(scope, self.operation)
            if watch.has_sent:
                event = self.contract.error_event(self._as_problem(refusal), self.operation, call)
                await send({"type": "http.response.body", "body": self._frame(event) + self._tail})
            else:
                reply = Reply(send, is_head=scope["method"] == "HEAD")
                await self._send_error(refusal, call, reply)


class CheckedEndpoints:
    """The factory of endpoints for the contracts of one server. refuses: as in CheckedEndpoint."""

    def __init__(self, *, refuses: bool) -> None:
        self._refuses = refuses

    def __call__(
        self, operation: Operation, handlers: Handlers, contract: Contract, options: RuntimeOptions
    ) -> Endpoint:
        """Return the operation's endpoint.

        Raises ValueError if the contract's document cannot be read, KeyError if it has no such operation.
        """
        template = operation.path.replace(":path}", "}")
        declared = _judge(contract.document()).operation(operation.method, template)
        return CheckedEndpoint(
            operation, handlers, contract, options, declared=declared, refuses=self._refuses
        )


@lru_cache(maxsize=16)  # a document's operations share it, as do the servers of one process
def _judge(document: bytes) -> Judge:
    return Judge(json.loads(document))
