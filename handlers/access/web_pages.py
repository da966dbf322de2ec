"""The guard against requests that other sites' web pages make from the browser of a user who can reach the
server.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from handlers.access.hosts import AllowedHosts, host_of, is_loopback
from handlers.runtime.problem import Problem

Refuse = Callable[[Problem, Scope], Response]
"""Makes the answer that refuses a request, in the words of the contract that owns its path."""

_MAX_QUOTED: Final = 200  # characters of a header that an answer repeats


class WrongHost(Problem):
    """403: the Host header is not a name of this server, as after DNS rebinding."""

    def __init__(self, host: str) -> None:
        super().__init__(
            403,
            f"The host {host[:_MAX_QUOTED]!r} is none of this server's names; --allowed-hosts adds one, "
            "and a server that asks for a key takes any",
            "forbidden",
        )


class ForeignOrigin(Problem):
    """403: a page of another site makes the request."""

    def __init__(self, origin: str) -> None:
        super().__init__(
            403,
            f"Pages of the origin {origin[:_MAX_QUOTED]!r} may not call this server; --cors-allow-origin "
            "lets them",
            "forbidden",
        )


class WebPageGuard:
    """ASGI middleware that refuses requests of other sites' web pages to a server without keys.

    A browser sends a page's requests to any address that its user reaches, a loopback one too. Two headers
    distinguish them, and no page can choose either: `Origin` is the page's site, and `Host` is the name that
    was resolved to the address, which stays the attacker's name even if it was made to resolve to this
    machine's address (DNS rebinding). A program that is no browser may leave both out.

    hosts: names that a request may use; None takes any.
    only_over_loopback: check the names only of connections that came in by a loopback address.
    origins: sites beside the server's own whose pages may call; None takes any.
    """

    def __init__(
        self,
        app: ASGIApp,
        refuse: Refuse,
        *,
        hosts: AllowedHosts | None,
        only_over_loopback: bool,
        origins: Sequence[str] | None,
    ) -> None:
        self._app = app
        self._refuse = refuse
        self._hosts = hosts
        self._only_over_loopback = only_over_loopback
        self._origins = None if origins is None or "*" in origins else frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        problem = self._problem(scope) if scope["type"] == "http" else None
        if problem is None:
            await self._app(scope, receive, send)
        else:
            await self._refuse(problem, scope)(scope, receive, send)

    def _problem(self, scope: Scope) -> Problem | None:
        authorities: list[str] = []
        origins: list[str] = []
        for name, value in scope["headers"]:
            if name == b"host":
                authorities.append(value.decode("latin-1").strip())
            elif name == b"origin":
                origins.append(value.decode("latin-1").strip())
        problem = self._host_problem(scope, authorities)
        return self._origin_problem(authorities, origins) if problem is None and origins else problem

    def _host_problem(self, scope: Scope, authorities: Iterable[str]) -> Problem | None:
        if self._hosts is None or (self._only_over_loopback and not _came_over_loopback(scope)):
            return None
        for one in authorities:
            if one and not self._hosts.admits(one):
                return WrongHost(host_of(one))
        return None

    def _origin_problem(self, authorities: Sequence[str], origins: Iterable[str]) -> Problem | None:
        if self._origins is None:
            return None
        for one in origins:
            if one not in self._origins and not _is_own(one, authorities):
                return ForeignOrigin(one)
        return None


def _is_own(origin: str, authorities: Sequence[str]) -> bool:
    """Return whether a page of the origin came from the host and port that its request goes to (RFC 6454).

    The scheme is not compared: a proxy in front may end TLS.
    """
    _, has_host, authority = origin.partition("://")
    return bool(has_host) and [authority.lower()] == [one.lower() for one in authorities]


def _came_over_loopback(scope: Scope) -> bool:
    """Return whether the connection came in by a loopback address, or by an unknown one."""
    server = scope.get("server")
    return server is None or is_loopback(str(server[0]))
