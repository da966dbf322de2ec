"""The fetching of http and https URLs from hosts that the operator allows.

Every step is bounded, and none trusts the one before it: the host's name must be on the list, its addresses
must be public, the connection goes to an address that was checked, redirects are not followed, and the body
is counted while it arrives. One parser reads a URL for the check and for the request, so that they cannot
differ about its host (CVE-2026-24779).
"""

import asyncio
import re
from collections.abc import Callable
from typing import Final

from aiohttp import (
    ClientError,
    ClientResponse,
    ClientSession,
    ClientTimeout,
    DummyCookieJar,
    TCPConnector,
    ThreadedResolver,
)
from aiohttp.abc import AbstractResolver
from yarl import URL

from handlers.media.addresses import ForbiddenAddress, PublicResolver, is_public
from handlers.media.budget import Budget, CannotRead
from handlers.media.domains import SCHEMES, AllowedDomains

_MAX_URL: Final = 4096  # characters
_CHUNK_BYTES: Final = 65_536
_ODD: Final = re.compile(r"[\s\\\x00-\x1f\x7f]")  # what parsers of URLs read in different ways
_IP_LIKE: Final = re.compile(r"[0-9.]+|.*:.*")
# A compressed body would have a size that its own does not show.
_HEADERS: Final = {"accept-encoding": "identity", "user-agent": "verbatim"}


class Fetcher:
    """Fetches from allowed hosts, some URLs at once. It is used in one event loop."""

    def __init__(
        self,
        domains: AllowedDomains,
        timeout_s: float,
        *,
        max_fetches: int,
        system: Callable[[], AbstractResolver] = ThreadedResolver,
        resolver: Callable[[AbstractResolver], AbstractResolver] = PublicResolver,
    ) -> None:
        """Connect to nothing yet.

        timeout_s: the longest time for one URL, in seconds. max_fetches: URLs at once. system: makes the
        system's resolver, within the loop. resolver: makes the resolver that keeps addresses that are not
        public from being connected to.
        """
        self._domains = domains
        self._timeout_s = timeout_s
        self._system = system
        self._resolver = resolver
        self._connections = asyncio.Semaphore(max_fetches)

    def check(self, source: str) -> URL:
        """Return a URL that may be fetched, unless its addresses forbid it. Raises CannotRead."""
        if len(source) > _MAX_URL:
            raise CannotRead(f"a URL may have {_MAX_URL} characters")
        if _ODD.search(source):
            raise CannotRead("a URL holds no blanks, control characters or backslashes")
        try:
            url = URL(source)
        except ValueError:
            raise CannotRead("this is no URL") from None
        if url.scheme not in SCHEMES or not url.raw_host:
            raise CannotRead("a URL begins with https:// or http:// and a host")
        if url.user is not None or url.password is not None:
            raise CannotRead("a URL names no user")
        if not self._domains.hold(url):
            raise CannotRead("this server does not fetch from this host")
        if _IP_LIKE.fullmatch(url.raw_host) and not is_public(url.raw_host):  # these are not resolved
            raise CannotRead("the host's address is not public")
        return url

    async def fetch(self, source: str, budget: Budget) -> bytes:
        """Return the body of the answer. Raises CannotRead."""
        url = self.check(source)
        try:
            async with (
                asyncio.timeout(self._timeout_s),
                self._connections,
                self._session() as session,
                session.get(url, allow_redirects=False) as response,
            ):
                _check_head(response, budget)
                return await _body(response, budget)
        except TimeoutError:
            raise CannotRead(f"the URL was not fetched within {self._timeout_s:g} seconds") from None
        except ClientError as error:
            if isinstance(_cause(error), ForbiddenAddress):
                raise CannotRead("the host's address is not public") from error
            raise CannotRead("the URL could not be fetched") from error

    def _session(self) -> ClientSession:
        """Return a session for one URL; a connection kept for another would be to an older address."""
        return ClientSession(
            connector=TCPConnector(resolver=self._resolver(self._system()), use_dns_cache=False),
            headers=_HEADERS,
            cookie_jar=DummyCookieJar(),
            timeout=ClientTimeout(total=None),  # `fetch` has one for all
            auto_decompress=False,
            trust_env=False,  # a proxy would resolve names itself
        )


def _check_head(response: ClientResponse, budget: Budget) -> None:
    if 300 <= response.status < 400:
        raise CannotRead("the URL redirects to another, and redirects are not followed")
    if response.status != 200:
        raise CannotRead(f"the URL's server answers with status {response.status}")
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise CannotRead("the URL's server sends a compressed body, which was not asked for")
    budget.check(response.content_length or 0)


async def _body(response: ClientResponse, budget: Budget) -> bytes:
    body = bytearray()
    async for chunk in response.content.iter_chunked(_CHUNK_BYTES):
        budget.take(len(chunk))
        body += chunk
    return bytes(body)


def _cause(error: BaseException) -> BaseException | None:
    """Return the error that the first of a chain came from."""
    return getattr(error, "os_error", None) or error.__cause__
