"""The shortening of a conversation by the edits that its request asks for."""

from collections.abc import Container, Sequence
from itertools import accumulate
from typing import Final, TypeAlias

from msgspec.structs import replace

from engine.port.errors import PromptTooLong
from generated.anthropic import models as m
from handlers.chat.core import ChatCore, PreparedChat
from handlers.chat.media import PartContents
from handlers.chat.messages import ChatMessage
from handlers.chat.params import ChatParams
from handlers.operations.missing import given
from verbatim_kit.errors import Refused, Violation

Edit: TypeAlias = m.ClearThinkingEditParam | m.ClearToolUsesEditParam | m.CompactEditParam
AppliedEdit: TypeAlias = m.ClearThinkingEditResponse | m.ClearToolUsesEditResponse

_LEFT_OUT: Final = "[The result of this tool use has been left out to save context.]"

# What Anthropic's documentation says of an edit that does not say it itself.
_NUM_TURNS: Final = 1
_NUM_USES: Final = 3
_CLEAR_FROM: Final = 100_000
_COMPACT_FROM: Final = 150_000


class ShortenedChat:
    """A chat that its edits make shorter, one after another."""

    def __init__(self, chat: ChatCore, params: ChatParams, contents: PartContents) -> None:
        self._chat = chat
        self._contents = contents
        self._params = params
        self._prepared: PreparedChat | None = None

    def prepare(self) -> PreparedChat:
        """Return the chat as it is now. Raises from `handlers.chat.errors`, and PromptTooLong."""
        if self._prepared is None:
            self._prepared = self._chat.prepare(self._params, self._contents)
        return self._prepared

    def num_tokens(self) -> int:
        """Return the tokens of the prompt; a lower bound where they exceed the context by far."""
        try:
            return len(self.prepare().request.prompt.token_ids)
        except PromptTooLong as error:
            return error.num_prompt_tokens

    def apply(self, edit: Edit, field: str) -> AppliedEdit | None:
        """Apply an edit; return None where it changes nothing.

        Raises Refused for a conversation that would have to be summarized, and as `prepared` does.
        """
        match edit:
            case m.ClearThinkingEditParam():
                return self._clear_reasoning(edit)
            case m.ClearToolUsesEditParam():
                return self._clear_results(edit)
            case m.CompactEditParam():
                self._refuse_summary(edit, field)
                return None

    def _clear_reasoning(self, edit: m.ClearThinkingEditParam) -> m.ClearThinkingEditResponse | None:
        messages, num_turns = without_old_reasoning(self._params.messages, _num_turns_kept(edit))
        if not num_turns:
            return None
        return m.ClearThinkingEditResponse(
            type="clear_thinking_20251015",
            cleared_thinking_turns=num_turns,
            cleared_input_tokens=self._replace(messages),
        )

    def _clear_results(self, edit: m.ClearToolUsesEditParam) -> m.ClearToolUsesEditResponse | None:
        if not self._is_triggered(edit):
            return None
        messages, num_uses = without_old_results(self._params.messages, edit)
        before = self._params, self._prepared
        saved = self._replace(messages) if num_uses else 0
        if not num_uses or saved < _least(edit):
            self._params, self._prepared = before
            return None
        return m.ClearToolUsesEditResponse(
            type="clear_tool_uses_20250919", cleared_tool_uses=num_uses, cleared_input_tokens=saved
        )

    def _is_triggered(self, edit: m.ClearToolUsesEditParam) -> bool:
        match given(edit.trigger):
            case m.ToolUsesParam(value=value):
                return sum(len(message.tool_calls) for message in self._params.messages) > value
            case m.InputTokensParam(value=value):
                return self.num_tokens() > value
            case _:
                return self.num_tokens() > _CLEAR_FROM

    def _refuse_summary(self, edit: m.CompactEditParam, field: str) -> None:
        trigger = _COMPACT_FROM if edit.trigger is None else edit.trigger.value
        if (num_tokens := self.num_tokens()) >= trigger:
            reason = f"the prompt has {num_tokens} tokens, and this server writes no summaries"
            raise Refused(reason, field, Violation.UNSUPPORTED_VALUE)

    def _replace(self, messages: tuple[ChatMessage, ...]) -> int:
        """Take other messages in place of those that there are, and return how many tokens that saves."""
        before = self.num_tokens()
        self._params, self._prepared = replace(self._params, messages=messages), None
        return max(before - self.num_tokens(), 0)


def without_old_reasoning(
    messages: Sequence[ChatMessage], num_kept: int | None
) -> tuple[tuple[ChatMessage, ...], int]:
    """Return the messages with the thoughts of only the newest turns, and how many turns have lost theirs.

    A turn is all that the assistant says between two messages of the user's. num_kept: turns that keep their
    thoughts; None is all of them.
    """
    turns = list(accumulate(message.role == "user" for message in messages))
    reasoned = sorted({turn for turn, message in zip(turns, messages, strict=True) if message.reasoning})
    cleared = set() if num_kept is None else set(reasoned[:-num_kept])
    edited = tuple(
        replace(message, reasoning=None) if turn in cleared else message
        for turn, message in zip(turns, messages, strict=True)
    )
    return edited, len(cleared)


def without_old_results(
    messages: Sequence[ChatMessage], edit: m.ClearToolUsesEditParam
) -> tuple[tuple[ChatMessage, ...], int]:
    """Return the messages without the results of older uses of tools, and how many uses have lost theirs."""
    calls = [call for message in messages for call in message.tool_calls]
    keep = given(edit.keep)
    num_kept = _NUM_USES if keep is None else keep.value
    excluded = given(edit.exclude_tools) or ()
    older = calls[: max(len(calls) - num_kept, 0)]
    cleared = {call.id for call in older if call.name not in excluded}
    return tuple(_without_use(message, cleared, edit.clear_tool_inputs) for message in messages), len(cleared)


def _without_use(
    message: ChatMessage, cleared: Container[str], clears_inputs: bool | Container[str] | None
) -> ChatMessage:
    if message.role == "tool" and message.tool_call_id in cleared:
        return replace(message, content=_LEFT_OUT)
    if not message.tool_calls or not clears_inputs:
        return message
    calls = tuple(
        replace(call, arguments="{}")
        if call.id in cleared and (clears_inputs is True or call.name in clears_inputs)
        else call
        for call in message.tool_calls
    )
    return replace(message, tool_calls=calls)


def _num_turns_kept(edit: m.ClearThinkingEditParam) -> int | None:
    match given(edit.keep):
        case "all" | m.AllThinkingTurnsParam():
            return None
        case m.ThinkingTurnsParam(value=value):
            return value
        case _:
            return _NUM_TURNS


def _least(edit: m.ClearToolUsesEditParam) -> int:
    """Return the tokens that the edit must save to be applied."""
    return 0 if edit.clear_at_least is None else edit.clear_at_least.value
