"""The adapters that servers list in addition to their model, by name; no torch."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Final, NoReturn

from engine.config import AdapterSource
from engine.port.errors import CannotLoadAdapter, ModelNotSupported, UnknownAdapter
from engine.remote.client.upstream import Upstream
from engine.remote.servers.model_list import read_models

_PERIOD_S: Final = 5.0

_log = logging.getLogger(__name__)


class ServedAdapters:
    """The adapters of several servers, each of which may have others; a request goes where its own is.

    Servers load and forget adapters while they run, so their lists are read again every few seconds.
    """

    can_load = False

    def __init__(self, upstreams: Sequence[Upstream]) -> None:
        """Begin with the adapters that each server has listed so far."""
        self._upstreams = upstreams
        self.names = self._every()

    async def watch(self) -> NoReturn:
        """Read the lists again and again. A server that does not answer keeps its own."""
        while True:
            await asyncio.sleep(_PERIOD_S)
            await asyncio.gather(*map(read_adapters, self._upstreams))
            if (names := self._every()) != self.names:
                _log.info("the servers' adapters are %s", ", ".join(names) or "none")
                self.names = names

    async def load(self, source: AdapterSource, *, replaces: bool = False) -> None:
        """Raise CannotLoadAdapter, since the servers load their adapters themselves."""
        raise CannotLoadAdapter(f"adapter {source.name!r}: the servers behind this one load adapters")

    def unload(self, name: str) -> None:
        """Raise UnknownAdapter, since nothing was loaded here."""
        raise UnknownAdapter(name)

    def _every(self) -> tuple[str, ...]:
        return tuple(sorted(frozenset[str]().union(*(upstream.adapters for upstream in self._upstreams))))


async def read_adapters(upstream: Upstream) -> None:
    """Read the names of a server's adapters; one that does not answer keeps those that it had."""
    try:
        await read_models(upstream)
    except ModelNotSupported as error:
        _log.debug("%s does not list its models: %s", upstream.url, error)
