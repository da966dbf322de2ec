"""The message that stands around an answer's blocks."""

from secrets import token_hex
from typing import Final, Literal, TypeAlias

from pydantic import MISSING

from generated.anthropic import models as m
from handlers.chat.delta import ChatFinish
from handlers.chat.usage import ChatUsage
from handlers.contracts.anthropic.answer.answer import Answer
from handlers.contracts.anthropic.answer.usage import usage

_StopReason: TypeAlias = Literal[
    "end_turn", "max_tokens", "stop_sequence", "tool_use", "model_context_window_exceeded"
]
_STOP_REASONS: Final[dict[ChatFinish | None, _StopReason]] = {
    ChatFinish.STOP: "end_turn",
    ChatFinish.TOOL_CALLS: "tool_use",
}


class MessageDraft:
    """One message before and after the model speaks.

    context_management: the edits that were applied to the conversation, which the answer's end names.
    has_room: whether the context has room for all the tokens that were asked for.
    """

    def __init__(
        self, model: str, context_management: m.ContextManagementResponse | MISSING, *, has_room: bool
    ) -> None:
        self._id = f"msg_{token_hex(12)}"
        self._model = model
        self._context_management = context_management
        self._has_room = has_room

    def begun(self, counts: ChatUsage) -> m.Message:
        return m.Message(
            id=self._id,
            type="message",
            role="assistant",
            content=[],
            model=self._model,
            stop_reason=None,
            stop_sequence=None,
            stop_details=None,
            usage=usage(counts),
        )

    def ended(self, answer: Answer, counts: ChatUsage) -> m.Message:
        update = {
            "content": answer.wire(),
            "stop_reason": self._stop_reason(answer),
            "stop_sequence": answer.stop_match,
            "context_management": self._context_management,
        }
        return self.begun(counts).model_copy(update=update)

    def _stop_reason(self, answer: Answer) -> _StopReason:
        if answer.finish is ChatFinish.STOP and answer.stop_match is not None:
            return "stop_sequence"
        bound: _StopReason = "max_tokens" if self._has_room else "model_context_window_exceeded"
        return _STOP_REASONS.get(answer.finish, bound)
