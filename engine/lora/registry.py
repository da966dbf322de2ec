"""The adapters that requests may name, and those of them whose weights are in memory."""

import asyncio
import os
import threading
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final

from engine.config import AdapterLimits, AdapterSource
from engine.host.call_thread import CallThread
from engine.lora.loading import load_adapter
from engine.lora.sites import Site
from engine.model.adapters import LoraAdapter
from engine.port.errors import CannotLoadAdapter, EngineBusy, GenerationFailed, UnknownAdapter
from engine.port.info.adapter import UsedAdapters
from engine.port.info.stats import AdapterStats

_NICENESS: Final = 19  # of the thread that loads, which shares processors with the one that computes


@dataclass(slots=True, eq=False)
class _Entry:
    """A named adapter.

    adapter: its weights, unless others took their place. within: the folder that no link may leave, if a
    client named it. num_users: requests that run.
    """

    source: AdapterSource
    adapter: LoraAdapter | None
    within: Path | None = None
    num_users: int = 0
    last_used: int = 0
    num_requests: int = 0


class AdapterRegistry:
    """The adapters of one engine, by name. All methods belong to one event loop, once it runs."""

    def __init__(self, sites: Mapping[str, Site], limits: AdapterLimits, root: Path | None = None) -> None:
        """Start without adapters.

        sites: the linear layers that they may change; none if adapters cannot be loaded. root: the folder of
        those that `load` may load; None: it loads none.
        """
        self._sites = sites
        self._limits = limits
        self._root = root
        self._entries: dict[str, _Entry] = {}
        self._retired: list[_Entry] = []  # unloaded, but still used
        self._uses = count(1)
        self._last_used = UsedAdapters((), ())
        self._changed_at = time.time()
        self._lock = asyncio.Lock()
        self._thread: CallThread | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._entries)

    @property
    def can_load(self) -> bool:
        """True if there is a folder that `load` may load from."""
        return self._root is not None

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def add_now(self, source: AdapterSource) -> None:
        """Load an adapter at the start, before the event loop has requests. Raises CannotLoadAdapter.

        One that does not fit next to the earlier ones is checked, and loaded when it is asked for.
        """
        self._check_name(source.name)
        adapter = self._read(source)
        fits = self._fits(adapter.num_bytes)
        self._entries[source.name] = _Entry(source, adapter if fits else None)

    async def load(self, source: AdapterSource, *, replaces: bool = False) -> None:
        """Load an adapter from a folder below the root, for requests that come from now on.

        replaces: whether one of this name may be there; its requests end with the weights they began with.
        Raises CannotLoadAdapter, or EngineBusy where running requests keep the memory.
        """
        assert self._root is not None, "nothing may be loaded"
        root = self._root.resolve()
        source = AdapterSource(source.name, str(_folder_within(root, source)))
        async with self._lock:
            if not (replaces and source.name in self._entries):
                self._check_name(source.name)
            adapter = await self._read_aside(source, root)
            before = self._entries.pop(source.name, None)
            try:
                self._make_room(adapter.num_bytes, retiring=before)
            except EngineBusy:
                if before is not None:
                    self._entries[source.name] = before
                raise
            self._retire(before)
            self._entries[source.name] = _Entry(source, adapter, root, last_used=next(self._uses))

    def unload(self, name: str) -> None:
        """Forget an adapter; requests that use it end with it. Raises UnknownAdapter."""
        if name not in self._entries:
            raise UnknownAdapter(name)
        self._retire(self._entries.pop(name))

    def using(self, name: str | None) -> AbstractAsyncContextManager[LoraAdapter | None]:
        """Keep the adapter of this name in memory for the block; None for none.

        Raises UnknownAdapter, EngineBusy where adapters in use leave no room for it, and GenerationFailed if
        its files cannot be read any more.
        """
        return nullcontext() if name is None else self._using(name)

    @asynccontextmanager
    async def _using(self, name: str) -> AsyncIterator[LoraAdapter | None]:
        if (entry := self._entries.get(name)) is None:
            raise UnknownAdapter(name)
        entry.num_users += 1
        entry.num_requests += 1
        try:
            yield entry.adapter or await self._bring_back(entry)
        finally:
            entry.num_users -= 1
            entry.last_used = next(self._uses)
            if entry.num_users == 0 and entry in self._retired:
                self._retired.remove(entry)

    def stats(self, used: UsedAdapters) -> AdapterStats | None:
        """Return which adapters run and wait, an adapter that is yet to be read too; None if none ever can.

        used: those of sequences.
        """
        if not self._sites:
            return None
        unread = [name for name, entry in self._entries.items() if entry.num_users and entry.adapter is None]
        used = UsedAdapters(used.running, tuple(dict.fromkeys((*used.waiting, *unread))))
        if used != self._last_used:
            self._last_used, self._changed_at = used, time.time()
        return AdapterStats(
            max_in_memory=self._limits.max_in_memory,
            running=used.running,
            waiting=used.waiting,
            changed_at=self._changed_at,
        )

    def close(self) -> None:
        """End the thread that loads, once it has done what it does."""
        if self._thread is not None:
            self._thread.end()
            self._thread = None

    async def _bring_back(self, entry: _Entry) -> LoraAdapter:
        async with self._lock:
            if entry.adapter is None:
                try:
                    adapter = await self._read_aside(entry.source, entry.within)
                except CannotLoadAdapter as error:
                    raise GenerationFailed(str(error)) from error
                self._make_room(adapter.num_bytes)
                entry.adapter = adapter
            return entry.adapter

    def _make_room(self, num_bytes: int, retiring: _Entry | None = None) -> None:
        """Drop idle adapters until another fits. retiring: one that is on its way out.

        Raises EngineBusy if those in use leave no room.
        """
        while not self._fits(num_bytes, retiring):
            idle = [each for each in self._entries.values() if each.adapter and not each.num_users]
            if not idle:
                raise EngineBusy("the adapters of running requests leave no room for another")
            min(idle, key=lambda entry: entry.last_used).adapter = None

    def _fits(self, num_bytes: int, retiring: _Entry | None = None) -> bool:
        held = [
            entry.adapter
            for entry in (*self._entries.values(), *self._retired, *([retiring] if retiring else []))
            if entry.adapter is not None and (entry is not retiring or entry.num_users)
        ]
        total = sum(adapter.num_bytes for adapter in held) + num_bytes
        return len(held) < self._limits.max_in_memory and total <= self._limits.max_bytes

    def _retire(self, entry: _Entry | None) -> None:
        if entry is not None and entry.num_users:
            self._retired.append(entry)

    def _check_name(self, name: str) -> None:
        if name in self._entries:
            raise CannotLoadAdapter(f"adapter {name!r} has already been loaded")
        if len(self._entries) >= self._limits.max_named:
            raise CannotLoadAdapter(f"adapter {name!r}: {self._limits.max_named} adapters are loaded already")

    def _read(self, source: AdapterSource, within: Path | None = None) -> LoraAdapter:
        return load_adapter(
            source.name,
            Path(source.path),
            self._sites,
            max_rank=self._limits.max_rank,
            max_bytes=self._limits.max_bytes,
            within=within,
        )

    async def _read_aside(self, source: AdapterSource, within: Path | None) -> LoraAdapter:
        """Read in a thread of low priority, so that steps are not delayed."""
        if self._thread is None:
            self._thread = CallThread("adapters")
            self._thread.submit(_become_nice)
        return await asyncio.wrap_future(self._thread.submit(self._read, source, within))


def _folder_within(root: Path, source: AdapterSource) -> Path:
    """Return the adapter's folder, without links. Raises CannotLoadAdapter unless it lies below the root."""
    with suppress(OSError, RuntimeError, ValueError):  # loops, and characters that no path has
        folder = (root / source.path).resolve(strict=True)
        if folder.is_relative_to(root):
            return folder
    raise CannotLoadAdapter(f"adapter {source.name!r}: its path names no folder below the adapters' root")


def _become_nice() -> None:
    with suppress(OSError, AttributeError):  # where threads have no priority of their own
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
