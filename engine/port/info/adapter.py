"""An adapter as the scheduler sees it, and adapters by name as contracts do; no torch."""

from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from engine.config import AdapterSource
from engine.port.errors import CannotLoadAdapter, UnknownAdapter


@dataclass(frozen=True, eq=False)
class Adapter:
    """A loaded adapter. Sequences hold it, so that it lives until the last of them ends.

    name: as requests ask for it. digest: of its files, so that keys and values in the cache are found only by
    sequences of the same weights, whatever was loaded under the name since.
    """

    name: str
    digest: str

    @property
    def tags(self) -> tuple[tuple[str, str], ...]:
        """The tag of cached keys and values that goes with the name, which is a tag of the request."""
        return (("adapter_digest", self.digest),)


class UsedAdapters(NamedTuple):
    """The names of the adapters of running and of waiting sequences, each once."""

    running: tuple[str, ...]
    waiting: tuple[str, ...]


class Adapters(Protocol):
    """The adapters of an engine, by name; the methods are those of `lora.registry`."""

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def can_load(self) -> bool: ...

    async def load(self, source: AdapterSource, *, replaces: bool = False) -> None: ...

    def unload(self, name: str) -> None: ...


class _NoAdapters:
    """The adapters of an engine that takes none."""

    names: tuple[str, ...] = ()
    can_load = False

    async def load(self, source: AdapterSource, *, replaces: bool = False) -> None:
        raise CannotLoadAdapter(f"adapter {source.name!r}: this engine takes no adapters")

    def unload(self, name: str) -> None:
        raise UnknownAdapter(name)


NO_ADAPTERS: Final[Adapters] = _NoAdapters()
