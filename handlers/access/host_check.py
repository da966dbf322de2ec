"""The check of the Host header by HTTP's own rules, whatever names a server accepts."""

import re
from functools import lru_cache
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from handlers.access.web_pages import Refuse
from verbatim_kit.runtime.problem import Problem

_VERSION: Final = "1.1"  # earlier ones have no such header, and later ones `:authority`
# uri-host [ ":" port ] of RFC 3986, section 3.2: an address in brackets, or a name, which may be empty.
_VALID: Final = re.compile(
    rb"(?:\[[\w.~!$&'()*+,;=:%-]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(?::[0-9]*)?", re.ASCII
)
_NUM_REMEMBERED: Final = 256


class InvalidHost(Problem):
    """400: RFC 9112, section 3.2, demands it."""

    def __init__(self, message: str) -> None:
        super().__init__(400, message, "validation")


class HostCheck:
    """ASGI middleware that refuses a request which does not name its host once (RFC 9112, section 3.2).

    Two readers of such a request, this server and a proxy in front, could take it for one to different hosts.
    """

    def __init__(self, app: ASGIApp, refuse: Refuse) -> None:
        self._app = app
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        problem = _problem(scope) if scope["type"] == "http" else None
        if problem is None:
            await self._app(scope, receive, send)
        else:
            await self._refuse(problem, scope)(scope, receive, send)


def _problem(scope: Scope) -> InvalidHost | None:
    host: bytes | None = None
    for name, value in scope["headers"]:
        if name == b"host":
            if host is not None:
                return InvalidHost("The request has more than one Host header")
            host = value
    if host is None:
        if scope.get("http_version") == _VERSION:
            return InvalidHost("The request has no Host header, which HTTP/1.1 requires")
        return None
    return None if _is_valid(host) else InvalidHost("The Host header is no host, with a port or without")


@lru_cache(_NUM_REMEMBERED)
def _is_valid(host: bytes) -> bool:
    return _VALID.fullmatch(host) is not None
