"""The choice of a server for each request, among several that serve the same model; pure, no torch."""

from collections import OrderedDict
from collections.abc import Collection, Container, Sequence
from typing import Final, Generic, Protocol, TypeVar

_MAX_KEYS: Final = 65_536  # of blocks whose servers are remembered: some 15 MB
_MAX_HOLDERS: Final = 4  # servers that are remembered for one block


class Routed(Protocol):
    """A server, as the choice sees it.

    num_outstanding: the number of tokens of its prompts, and of those asked for.
    adapters: the names of the adapters that it has.
    is_admitted: whether it serves the model.
    is_healthy: whether it is to get requests, if there are others.
    """

    @property
    def num_outstanding(self) -> int: ...
    @property
    def is_admitted(self) -> bool: ...
    @property
    def is_healthy(self) -> bool: ...

    @property
    def adapters(self) -> Container[str]: ...


ServerT = TypeVar("ServerT", bound=Routed)


class Router(Generic[ServerT]):
    """Chooses the server with the fewest tokens outstanding, or one that may hold the prompt's prefix.

    It takes the second if that has at most as many tokens more as the request itself, so that a prefix that
    everybody sends cannot draw all requests to one server. Unhealthy servers get nothing, unless all are
    unhealthy; those that are not admitted get nothing at all.
    """

    def __init__(self, servers: Sequence[ServerT], *, max_keys: int = _MAX_KEYS) -> None:
        self._servers = servers
        self._max_keys = max_keys
        self._holders: OrderedDict[bytes, tuple[int, ...]] = OrderedDict()  # by block key, latest first
        self._turn = 0  # where the search for the least busy begins, so that idle servers take turns

    @property
    def num_admitted(self) -> int:
        """The number of servers that serve the model, healthy or not."""
        return sum(server.is_admitted for server in self._servers)

    def choose(
        self,
        num_tokens: int,
        keys: Sequence[bytes] = (),
        but: Collection[ServerT] = (),
        adapter: str | None = None,
    ) -> ServerT | None:
        """Return the server of a request; None if there is none.

        num_tokens: the number of the prompt's tokens and of those asked for.
        keys: the keys of the prompt's full blocks, from the first on.
        but: the servers that have been tried, which are not chosen.
        adapter: the adapter's name; a server that has it is chosen, where there is one.
        """
        servers = self._servers
        others = [place for place, server in enumerate(servers) if server.is_admitted and server not in but]
        if adapter is not None:
            others = [place for place in others if adapter in servers[place].adapters] or others
        usable = [place for place in others if servers[place].is_healthy] or others
        if not usable:
            return None
        load = [servers[place].num_outstanding for place in usable]
        least = min(load)
        near = {
            place: outstanding
            for place, outstanding in zip(usable, load, strict=True)
            if outstanding <= least + num_tokens
        }
        if holders := self._deepest_holders(keys, near):
            chosen = min(holders, key=near.__getitem__)
        else:
            chosen = usable[self._next_of(load, least)]
        self._remember(keys, chosen)
        return servers[chosen]

    def _deepest_holders(self, keys: Sequence[bytes], near: Container[int]) -> list[int]:
        """Return the servers among these that have the longest part of the prompt, as far as is known."""
        deepest: list[int] = []
        for key in keys:
            if (known := self._holders.get(key)) is None:
                break
            deepest = [place for place in known if place in near] or deepest
        return deepest

    def _next_of(self, load: list[int], least: int) -> int:
        """Return the index of a server with the least load, by turns."""
        start = self._turn % len(load)
        index = load.index(least, start) if least in load[start:] else load.index(least)
        self._turn = index + 1
        return index

    def _remember(self, keys: Sequence[bytes], chosen: int) -> None:
        for key in reversed(keys):  # a prompt's first blocks, which the others need, are forgotten last
            others = [place for place in self._holders.pop(key, ()) if place != chosen]
            self._holders[key] = (chosen, *others[: _MAX_HOLDERS - 1])
        while len(self._holders) > self._max_keys:
            self._holders.popitem(last=False)
