"""The store of a server: its database, in a thread of its own."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from handlers.store.batches import BatchTable
from handlers.store.database import Bounds, Database
from handlers.store.files import FileTable
from handlers.store.record import CannotOpenStore, Change, Entry, Extension, Record, StoreError

P = ParamSpec("P")
T = TypeVar("T")


class Store:
    """Stores records off the event loop. Methods raise StoreError as those of `Database` do."""

    def __init__(self, path: Path | None, bounds: Bounds) -> None:
        """Open the store. path: its file; None for memory, which is taken when the first record comes.

        Raises CannotOpenStore.
        """
        self._bounds = bounds
        self.has_work = asyncio.Event()
        """Set when a batch is made or cancelled here, so that it need not wait to be found."""
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store")
        try:
            self._database = None if path is None else Database(path, bounds)
        except StoreError as error:
            raise CannotOpenStore(f"cannot open the store {path}: {error.reason}") from error

    async def put(self, make: Callable[[], Record], entries: Sequence[tuple[str, bytes]] = ()) -> None:
        """Store a record with its entries; see `Database.put`. make: returns it, in the store's thread."""
        await self.run(lambda database: database.put(make(), entries))

    async def begin(self, make: Callable[[], Record], entries: Sequence[bytes] = ()) -> None:
        """Store a record that this process works on from now on, and its entries; see `Database.put`."""
        first = [("", content) for content in entries]
        await self.run(lambda database: database.put(make(), first, is_unfinished=True))

    async def note(self, id: str, owner: str, entries: Sequence[bytes] = ()) -> bool:
        """Say that this process still works on a record; see `Database.note`."""
        return await self.run(lambda database: database.note(id, owner, entries))

    async def change(
        self, id: str, owner: str, make: Callable[[Record, int], Change], *, finishes: bool
    ) -> Record | None:
        """Change a record that is being worked on; see `Database.change`."""
        return await self.run(lambda database: database.change(id, owner, make, finishes=finishes))

    async def idle_s(self, id: str) -> float | None:
        """Return the seconds since a process said that it works on a record; see `Database.idle_s`."""
        return await self.run(lambda database: database.idle_s(id))

    async def extend(self, owner: str, extension: Extension) -> bool:
        """Add entries to the owner's record; see `Database.extend`."""
        return await self.run(lambda database: database.extend(owner, extension))

    async def rewrite(self, id: str, owner: str, content: bytes) -> bool:
        """Give the owner's record a new content; see `Database.rewrite`."""
        return await self.run(lambda database: database.rewrite(id, owner, content))

    async def entries(
        self, id: str, owner: str, after: int | None = None, limit: int = -1, *, descends: bool = False
    ) -> list[Entry]:
        """Return entries of the owner's record; see `Database.entries`."""
        return await self.run(lambda database: database.entries(id, owner, after, limit, descends=descends))

    async def entries_with(self, ids: Sequence[str], owner: str) -> list[Entry]:
        """Return the entries of the owner's records that have these ids; see `Database.entries_with`."""
        return await self.run(lambda database: database.entries_with(ids, owner))

    async def remove(self, entry: Entry) -> None:
        """Delete an entry of a record; see `Database.remove`."""
        await self.run(lambda database: database.remove(entry))

    async def get(self, id: str, owner: str) -> Record | None:
        """Return the owner's record of an id; see `Database.get`."""
        return await self.run(lambda database: database.get(id, owner))

    async def line(self, id: str, owner: str) -> list[Record]:
        """Return the owner's record of an id and all that it goes on from; see `Database.line`."""
        return await self.run(lambda database: database.line(id, owner))

    async def holding(self, parts: Sequence[str], owner: str) -> dict[str, Record]:
        """Return the owner's records that have these parts; see `Database.holding`."""
        return await self.run(lambda database: database.holding(parts, owner))

    async def delete(self, id: str, owner: str) -> bool:
        """Delete the owner's record of an id; see `Database.delete`."""
        return await self.run(lambda database: database.delete(id, owner))

    def close(self) -> None:
        """Close the database after the calls that run or wait."""
        self._thread.submit(self._close)
        self._thread.shutdown()

    @property
    def is_open(self) -> bool:
        """True if anything can be in it: memory is not taken before something comes."""
        return self._database is not None

    async def files(
        self, call: Callable[Concatenate[FileTable, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Return the result of a method of the table of files."""
        return await self.run(lambda database: call(database.files, *args, **kwargs))

    async def batches(
        self, call: Callable[Concatenate[BatchTable, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Return the result of a method of the table of batches."""
        return await self.run(lambda database: call(database.batches, *args, **kwargs))

    async def run(self, call: Callable[[Database], T]) -> T:
        """Return the result of a call with the database, which it gets in the store's thread."""
        return await asyncio.wrap_future(self._thread.submit(self._call, call))

    def _call(self, call: Callable[[Database], T]) -> T:
        if self._database is None:
            self._database = Database(None, self._bounds)
        return call(self._database)

    def _close(self) -> None:
        if self._database is not None:
            self._database.close()
