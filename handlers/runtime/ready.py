"""Takes from an asynchronous generator all that it has without waiting."""

import types
from collections.abc import AsyncGenerator, Coroutine, Generator
from functools import partial
from typing import Any, TypeVar

Item = TypeVar("Item")

_MAX_ITEMS = 64  # a stream that never waits must not keep its client waiting


async def ready_together(stream: AsyncGenerator[Item, None]) -> AsyncGenerator[list[Item], None]:
    """The items in order, in lists: each holds what the stream gave before it had to wait, at least one item.

    So a stream that runs ahead of a slow client costs one send for many items. Every step of the stream is
    driven by hand, for the event loop cannot tell whether awaiting it would wait.
    """
    items: list[Item] = []
    failure: Exception | None = None
    while failure is None:
        step = stream.__anext__()
        try:
            waited = step.send(None)
        except StopIteration as ready:
            items.append(ready.value)
            if len(items) == _MAX_ITEMS:
                yield items
                items = []
            continue
        except Exception as error:
            failure = error
            continue
        try:
            if items:
                yield items
                items = []
        except BaseException as error:
            await _abandon(step, error)
            raise
        try:
            items.append(await _resume(step, waited))
        except Exception as error:
            failure = error
    if items:
        yield items
    if not isinstance(failure, StopAsyncIteration):
        raise failure


@types.coroutine
def _resume(step: Coroutine[Any, Any, Item], waited: Any) -> Generator[Any, Any, Item]:
    """Awaits a step that was started by hand and now waits for `waited`, a future of the event loop."""
    while True:
        try:
            value = yield waited
            advance = partial(step.send, value)
        except BaseException as error:  # the task is cancelled, which the step has to learn
            advance = partial(step.throw, error)
        try:
            waited = advance()
        except StopIteration as done:
            result: Item = done.value
            return result


async def _abandon(step: Coroutine[Any, Any, object], error: BaseException) -> None:
    """Ends a step that waits, so that its generator can be closed; it may wait again while it cleans up."""
    try:
        await _resume(step, step.throw(error))
    except (StopIteration, StopAsyncIteration, type(error)):
        return
