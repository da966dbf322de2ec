"""The kinds of items that an input may hold, and the calls that they make and answer."""

from typing import Final, NamedTuple, TypeAlias

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
    | m.ResponseSteeringItem
    | m.ResponseItemReference
)
CallItem: TypeAlias = m.ResponseFunctionCallInput | m.ResponseCustomToolCallInput | m.ResponseShellCallInput
ResultItem: TypeAlias = (
    m.ResponseFunctionCallOutput | m.ResponseCustomToolCallOutput | m.ResponseShellCallOutput
)


class Earlier(NamedTuple):
    """The first items of an input, which come from the store, and the field of the request that names them.

    last_entry: the number of the last of them in the conversation that they are of; None for none.
    """

    num_items: int = 0
    field: str = ""
    last_entry: int | None = None


NONE_EARLIER: Final = Earlier()


def item_field(at: int, earlier: Earlier) -> str:
    """Return the place in the request of the item at `at`."""
    return earlier.field if at < earlier.num_items else f"input[{at - earlier.num_items}]"


def own_id(item: InputItem) -> str | None:
    """Return the id that the item came with; None for one without."""
    id = getattr(item, "id", None)  # of an unknown item, it may be anything
    return id if isinstance(id, str) and id else None


def made_call(item: InputItem) -> str | None:
    """Return the id of the call that the item makes; None for one that makes none."""
    return call_id(item) if isinstance(item, CallItem) else None


def answered_call(item: InputItem) -> str | None:
    """Return the id of the call that the item answers; None for one that answers none."""
    return call_id(item) if isinstance(item, ResultItem) else None


def call_id(item: CallItem | ResultItem) -> str | None:
    """Return the id by which call and result know each other; some clients send it as the item's own."""
    return given(item.call_id) or given(item.id)
