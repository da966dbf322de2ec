"""The routing of requests to one of several servers of the same model; pure, no torch."""

from collections import OrderedDict
from collections.abc import Collection, Container, Sequence
from typing import Final, Generic, Protocol, TypeVar

_MAX_KEYS: Final = 65_536  # remembered blocks, some 15 MB
_MAX_HOLDERS: Final = 4  # remembered servers for each block


class Routed(Protocol):
    """The properties of a server that routing depends on.

    num_outstanding: number of prompt tokens and requested tokens of its running requests.
    adapters: names of its adapters.
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
    """A router that prefers a server with a cached prefix of the prompt, and otherwise the least loaded one.

    A server with the prefix is chosen if its load exceeds the lowest load by at most the tokens of the
    request, so that a common prefix cannot attract all requests to one server. Unhealthy servers get requests
    only if all are unhealthy; servers that are not admitted never do.
    """

    def __init__(self, servers: Sequence[ServerT], *, max_keys: int = _MAX_KEYS) -> None:
        self._servers = servers
        self._max_keys = max_keys
        self._holders: OrderedDict[bytes, tuple[int, ...]] = OrderedDict()  # by block key, latest first
        self._turn = 0  # start of the search for the least loaded server, so that idle servers take turns

    @property
    def num_admitted(self) -> int:
        """The number of admitted servers, healthy or not."""
        return sum(server.is_admitted for server in self._servers)

    def choose(
        self,
        num_tokens: int,
        keys: Sequence[bytes] = (),
        but: Collection[ServerT] = (),
        adapter: str | None = None,
    ) -> ServerT | None:
        """Return the server for a request; None if there is none.

        num_tokens: number of prompt tokens and requested tokens.
        keys: keys of the prompt's full blocks, in order.
        but: servers to exclude, since they have been tried.
        adapter: name of the adapter; servers that have it are preferred.
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
        """Return the candidates in `near` that are known to have the longest prefix of the prompt."""
        deepest: list[int] = []
        for key in keys:
            if (known := self._holders.get(key)) is None:
                break
            deepest = [place for place in known if place in near] or deepest
        return deepest

    def _next_of(self, load: list[int], least: int) -> int:
        """Return the index of a server with the lowest load, by turns."""
        start = self._turn % len(load)
        index = load.index(least, start) if least in load[start:] else load.index(least)
        self._turn = index + 1
        return index

    def _remember(self, keys: Sequence[bytes], chosen: int) -> None:
        for key in reversed(keys):  # so that the first blocks, which later ones depend on, are evicted last
            others = [place for place in self._holders.pop(key, ()) if place != chosen]
            self._holders[key] = (chosen, *others[: _MAX_HOLDERS - 1])
        while len(self._holders) > self._max_keys:
            self._holders.popitem(last=False)
