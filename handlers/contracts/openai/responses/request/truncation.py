"""Items that an input which exceeds the context is shortened by, the oldest first."""

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

from engine.port.errors import PromptTooLong
from generated.openai import models as m
from handlers.contracts.openai.responses.request.items import InputItem, answered_call, made_call

Attempt = TypeVar("Attempt")
Dropped: TypeAlias = frozenset[int]


def shortest_cut(items: Sequence[InputItem], attempt: Callable[[Dropped], Attempt]) -> Attempt:
    """Return the attempt that drops the fewest items, of those that do not raise PromptTooLong.

    attempt: gets the places of the items that are dropped. Raises PromptTooLong where none succeeds.
    """
    droppable = _droppable(items)
    try:
        return attempt(frozenset())
    except PromptTooLong:
        if not droppable:
            raise
    fewest, most = 1, len(droppable)
    shortest = attempt(_with_answers(items, droppable[:most]))
    while fewest < most:
        middle = (fewest + most) // 2
        try:
            shortest = attempt(_with_answers(items, droppable[:middle]))
            most = middle
        except PromptTooLong:
            fewest = middle + 1
    return shortest


def _droppable(items: Sequence[InputItem]) -> list[int]:
    """Return the places of all items but instructions, the user's last message and the input's end."""
    kept = _ending(items)
    kept |= {at for at, item in enumerate(items) if _instructs(item)}
    kept |= {max((at for at, item in enumerate(items) if _is_users(item)), default=len(items) - 1)}
    return [at for at in range(len(items)) if at not in kept]


def _ending(items: Sequence[InputItem]) -> set[int]:
    """Return the place of the last item; of the last results and their calls, if it is a result."""
    first = len(items) - 1
    while first > 0 and answered_call(items[first]) and answered_call(items[first - 1]):
        first -= 1
    answered = {answered_call(item) for item in items[first:]} - {None}
    calls = {at for at, item in enumerate(items) if made_call(item) in answered}
    return calls | set(range(first, len(items)))


def _with_answers(items: Sequence[InputItem], dropped: Sequence[int]) -> Dropped:
    """Return the places with those of the results whose calls are among them."""
    calls = {made_call(items[at]) for at in dropped} - {None}
    return frozenset(dropped) | {at for at, item in enumerate(items) if answered_call(item) in calls}


def _instructs(item: InputItem) -> bool:
    if isinstance(item, m.ResponseInputMessage):
        return item.role != "user"
    return isinstance(item, m.ResponseAdditionalTools | m.ResponseCompactionItem)


def _is_users(item: InputItem) -> bool:
    return isinstance(item, m.ResponseInputMessage) and item.role == "user"
