"""Protection against requests that web pages of other sites make from a user's browser."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from handlers.access.hosts import AllowedHosts, host_of, is_loopback
from verbatim_kit.runtime.problem import Problem

Refuse = Callable[[Problem, Scope], Response]
"""A function that returns the error response for a request, in the form of the path's contract."""

_MAX_QUOTED: Final = 200  # characters of a header that an answer repeats


class WrongHost(Problem):
    """403: the Host header is not an allowed name of this server, which is a sign of DNS rebinding."""

    def __init__(self, host: str) -> None:
        super().__init__(
            403,
            f"The host {host[:_MAX_QUOTED]!r} is not a known name of this server. Add it with "
            "--allowed-hosts, or require an API key",
            "forbidden",
        )


class ForeignOrigin(Problem):
    """403: the request comes from a web page of another site."""

    def __init__(self, origin: str) -> None:
        super().__init__(
            403,
            f"Web pages of the origin {origin[:_MAX_QUOTED]!r} may not call this server. Allow the origin "
            "with --cors-allow-origin",
            "forbidden",
        )


class WebPageGuard:
    """ASGI middleware that refuses requests from web pages of other sites to a server without keys.

    A browser sends a page's requests to any address that its user can reach, loopback included. Two headers
    reveal them, and a page cannot choose either: `Origin` is the page's site, and `Host` is the name that was
    resolved, which is the attacker's name even if it resolves to this machine (DNS rebinding). Programs other
    than browsers may omit both.

    refuse: returns the error response. hosts: allowed host names; None allows any.
    only_over_loopback: check host names only for connections to a loopback address.
    origins: origins, in addition to the server's own, whose pages are allowed; None allows any.
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
        for authority in authorities:
            if authority and not self._hosts.admits(authority):
                return WrongHost(host_of(authority))
        return None

    def _origin_problem(self, authorities: Sequence[str], origins: Iterable[str]) -> Problem | None:
        if self._origins is None:
            return None
        for origin in origins:
            if origin not in self._origins and not _is_own(origin, authorities):
                return ForeignOrigin(origin)
        return None


def _is_own(origin: str, authorities: Sequence[str]) -> bool:
    """Return whether an origin has the host and port that the request is sent to (RFC 6454).

    The scheme is not compared, since a reverse proxy may terminate TLS.
    """
    _, has_host, authority = origin.partition("://")
    return bool(has_host) and [authority.lower()] == [each.lower() for each in authorities]


def _came_over_loopback(scope: Scope) -> bool:
    """Return whether the connection was made to a loopback address, or to an unknown one."""
    server = scope.get("server")
    return server is None or is_loopback(str(server[0]))
