"""The adapters that servers list beside their model, by name; no torch."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Final, NoReturn

import msgspec

from engine.config import AdapterSource
from engine.errors import CannotLoadAdapter, UnknownAdapter
from engine.remote.servers.failures import NoAnswer
from engine.remote.servers.upstream import Upstream

_TIMEOUT_S: Final = 10.0
_PERIOD_S: Final = 5.0

_log = logging.getLogger(__name__)


class Model(msgspec.Struct):
    """An entry of `/v1/models`. parent: an adapter's model."""

    id: str
    max_model_len: int | None = None
    parent: str | None = None


class Models(msgspec.Struct):
    """The answer of `/v1/models`."""

    data: list[Model]

    @property
    def adapters(self) -> frozenset[str]:
        return frozenset(model.id for model in self.data if model.parent is not None)


models_decoder: Final = msgspec.json.Decoder(Models)


class ServedAdapters:
    """The adapters of several servers, each of which may have others; a request goes where its own is.

    Servers load and forget adapters while they run, so their lists are read again every few seconds.
    """

    can_load = False

    def __init__(self, upstreams: Sequence[Upstream]) -> None:
        """upstreams: each with the adapters that it has listed so far."""
        self._upstreams = upstreams
        self.names = self._every()

    async def watch(self) -> NoReturn:
        """Read the lists again and again. A server that does not answer keeps its own."""
        while True:
            await asyncio.sleep(_PERIOD_S)
            await asyncio.gather(*map(_read, self._upstreams))
            if (names := self._every()) != self.names:
                _log.info("the servers' adapters are %s", ", ".join(names) or "none")
                self.names = names

    async def load(self, source: AdapterSource, *, replaces: bool = False) -> None:
        """Raise CannotLoadAdapter: the servers load their adapters themselves."""
        raise CannotLoadAdapter(f"adapter {source.name!r}: the servers behind this one load adapters")

    def unload(self, name: str) -> None:
        """Raise UnknownAdapter: nothing was loaded here."""
        raise UnknownAdapter(name)

    def _every(self) -> tuple[str, ...]:
        return tuple(sorted(frozenset[str]().union(*(upstream.adapters for upstream in self._upstreams))))


async def _read(upstream: Upstream) -> None:
    try:
        found = await upstream.get("/v1/models", timeout_s=_TIMEOUT_S)
        if found.status == 200:
            upstream.adapters = models_decoder.decode(found.body).adapters
    except (NoAnswer, msgspec.DecodeError, UnicodeDecodeError) as error:
        _log.debug("%s does not list its models: %s", upstream.url, error)
