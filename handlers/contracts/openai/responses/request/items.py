"""The kinds of items that an input may hold, and the calls that they make and answer."""

from typing import TypeAlias

from generated.openai import models as m
from handlers.operations.missing import given

InputItem: TypeAlias = (
    m.ResponseInputMessage
    | m.DecisionUserMessage
    | m.DecisionInstructionMessage
    | m.ResponseAssistantMessage
    | m.ResponseFunctionCallInput
    | m.ResponseFunctionCallOutput
    | m.ResponseCustomToolCallInput
    | m.ResponseCustomToolCallOutput
    | m.ResponseShellCallInput
    | m.ResponseShellCallOutput
    | m.ResponseReasoningInput
    | m.ResponseAdditionalTools
    | m.ResponseHostedItem
    | m.ResponseCompactionItem
    | m.ResponseItemReference
)
CallItem: TypeAlias = m.ResponseFunctionCallInput | m.ResponseCustomToolCallInput | m.ResponseShellCallInput
ResultItem: TypeAlias = (
    m.ResponseFunctionCallOutput | m.ResponseCustomToolCallOutput | m.ResponseShellCallOutput
)


def item_field(at: int, num_earlier: int) -> str:
    """Return the place in the request of the item at `at`; `num_earlier` come from stored responses."""
    return "previous_response_id" if at < num_earlier else f"input[{at - num_earlier}]"


def made_call(item: InputItem) -> str | None:
    """Return the id of the call that the item makes; None for one that makes none."""
    return call_id(item) if isinstance(item, CallItem) else None


def answered_call(item: InputItem) -> str | None:
    """Return the id of the call that the item answers; None for one that answers none."""
    return call_id(item) if isinstance(item, ResultItem) else None


def call_id(item: CallItem | ResultItem) -> str | None:
    """Return the id by which call and result know each other; some clients send it as the item's own."""
    return given(item.call_id) or given(item.id)
