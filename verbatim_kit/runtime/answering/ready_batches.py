"""Batches of the items that an asynchronous generator has without waiting."""

from asyncio import CancelledError
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from types import coroutine
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_MAX_ITEMS = 64  # a stream that never waits must not keep its client waiting


async def ready_batches(
    stream: AsyncGenerator[Item, None], convert: Callable[[Item], Result]
) -> AsyncGenerator[list[Result], None]:
    """Yield the converted items in order, in non-empty lists: each holds the items up to the next wait.

    So a stream that runs ahead of a slow client costs one send for many items. An error of the stream or of
    a conversion is raised after the items before it.
    """
    items: list[Result] = []
    failure: Exception | None = None
    while failure is None:
        if len(items) == _MAX_ITEMS:
            yield items
            items = []
        step = stream.__anext__()
        try:
            try:
                # By hand, since an event loop does not say whether awaiting the step would wait.
                waited = step.send(None)
            except StopIteration as ready:
                items.append(convert(ready.value))
                continue
        except Exception as error:
            failure = error
            continue
        if items:
            try:
                yield items
            except BaseException:
                await _abandon(step)
                raise
            items = []
        try:
            items.append(convert(await _rest(step, waited)))
        except Exception as error:
            failure = error
    if items:
        yield items
    if not isinstance(failure, StopAsyncIteration):
        try:
            raise failure
        finally:
            del failure  # the error's traceback has this frame, and would keep both


@coroutine
def _rest(step: Coroutine[Any, Any, Item], waited: Any) -> Generator[Any, Any, Item]:
    """Return the item of a step that has begun to wait for `waited`, which the event loop gets."""
    while True:
        try:
            yield waited
        except BaseException as error:  # the task is cancelled, which the stream has to learn
            try:
                waited = step.throw(error)
            except StopIteration as done:
                item: Item = done.value
                return item
        else:  # in C; of a task that is destroyed, rather than cancelled, the stream does not learn here
            return (yield from step.__await__())


async def _abandon(step: Coroutine[Any, Any, Item]) -> None:
    """End a step that waits, so that its stream can be closed; the stream may wait as it cleans up.

    The step is cancelled as a task would be: after GeneratorExit, CPython 3.11 takes the streams that it
    waits for to be running still, and does not close them.
    """
    try:
        await _rest(step, step.throw(CancelledError()))
    except (StopIteration, StopAsyncIteration, CancelledError):
        return
