"""Takes from an asynchronous generator all that it has without waiting."""

from asyncio import CancelledError
from collections.abc import AsyncGenerator, Callable, Generator
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_MAX_ITEMS = 64  # a stream that never waits must not keep its client waiting


async def ready_together(
    stream: AsyncGenerator[Item, None], convert: Callable[[Item], Result]
) -> AsyncGenerator[list[Result], None]:
    """The converted items in order, in lists: each has what came before the stream had to wait, at least one.

    So a stream that runs ahead of a slow client costs one send for many items. What fails, the stream or a
    conversion, is raised after the items before it.
    """
    items: list[Result] = []
    failure: Exception | None = None
    while failure is None:
        step = _Step(stream)
        if items and (step.waits or len(items) == _MAX_ITEMS):
            try:
                yield items
            except BaseException:
                await step.abandon()
                raise
            items = []
        try:
            items.append(convert(await step if step.waits else step.outcome()))
        except Exception as error:
            failure = error
    if items:
        yield items
    if not isinstance(failure, StopAsyncIteration):
        raise failure


class _Step(Generic[Item]):
    """The next item of a stream, begun by hand, for an event loop cannot tell whether awaiting it would wait.

    waits: whether the stream waits for something, and so the step is to be awaited; if not, its outcome is
    known.
    """

    __slots__ = ("_coroutine", "_error", "_item", "_waited", "waits")

    def __init__(self, stream: AsyncGenerator[Item, None]) -> None:
        self._coroutine = stream.__anext__()
        self._error: Exception | None = None
        self.waits = False
        try:
            self._waited = self._coroutine.send(None)
            self.waits = True
        except StopIteration as ready:
            self._item: Item = ready.value
        except Exception as error:
            self._error = error

    def outcome(self) -> Item:
        """The item, or the error raised, of a step that does not wait."""
        if self._error is not None:
            raise self._error
        return self._item

    async def abandon(self) -> None:
        """Ends a step that waits, so that its stream can be closed; the stream may wait as it cleans up.

        It is cancelled as a task would be: after GeneratorExit, CPython 3.11 takes the streams that it waits
        for to be running still, and does not close them.
        """
        if not self.waits:
            return
        try:
            self._waited = self._coroutine.throw(CancelledError())
            await self
        except (StopIteration, StopAsyncIteration, CancelledError):
            return

    def __await__(self) -> Generator[Any, Any, Item]:
        """The item of a step that waits."""
        waited = self._waited
        while True:
            try:
                value = yield waited
            except BaseException as error:  # the task is cancelled, which the stream has to learn
                advance: Callable[[Any], Any] = self._coroutine.throw
                argument: Any = error
            else:
                advance, argument = self._coroutine.send, value
            try:
                waited = advance(argument)
            except StopIteration as done:
                item: Item = done.value
                return item
