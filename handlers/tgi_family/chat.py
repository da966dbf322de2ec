"""Conversations, answered whole or in pieces."""

from typing import TypeVar

from typing_extensions import override

from handlers.active_requests.timing import Timing
from handlers.chat.core import PreparedChat
from handlers.chat.media import PartContents
from handlers.chat.params import ChatParams
from handlers.errors.mapping import ToProblem
from handlers.operations.chat_operation import ChatOperation
from handlers.served_model.served_model import ServedModel
from handlers.tgi_family.headers import Headers, compute_headers, cost_headers
from handlers.tgi_family.request.request_limits import RequestLimits

BodyT = TypeVar("BodyT")
AnswerT = TypeVar("AnswerT")
EventT = TypeVar("EventT")


class Chat(ChatOperation[BodyT, AnswerT, EventT]):
    """Answers conversations in a contract's form, which its subclass knows."""

    def __init__(
        self, shared: ServedModel, to_problem: ToProblem, limits: RequestLimits, compute_type: str
    ) -> None:
        super().__init__(shared, to_problem)
        self.limits = limits
        self._compute_type = compute_type

    def prepared(self, params: ChatParams, contents: PartContents) -> PreparedChat:
        """Render and tokenize within the limits. Raise from the chat core, PromptTooLong, or Refused."""
        prepared = self.shared.chat.prepare(params, contents)
        self.limits.new_tokens(len(prepared.request.prompt.token_ids), params.max_tokens)
        return prepared

    @override
    def headers(self, plan: BodyT, prepared: PreparedChat) -> Headers:
        return compute_headers(self._compute_type, prepared.prompt_text)

    @override
    def costs(self, timing: Timing) -> Headers:
        return cost_headers(timing)
