"""The fetching of URLs from a server that does as it likes."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

import pytest
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult
from typing_extensions import override

from handlers.media.addresses import ForbiddenAddress, PublicResolver
from handlers.media.budget import Budget, CannotRead
from handlers.media.domains import AllowedDomains
from handlers.media.fetcher import Fetcher
from handlers.media.urls import url_reader
from handlers.settings.settings import Settings

HOST: Final = "pictures.example"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Names(AbstractResolver):
    """A system that gives these addresses for every name, one after another; the last one stays."""

    def __init__(self, *addresses: str) -> None:
        self.addresses = list(addresses)
        self.asked: list[str] = []

    @override
    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        self.asked.append(host)
        address = self.addresses.pop(0) if len(self.addresses) > 1 else self.addresses[0]
        return [
            ResolveResult(hostname=host, host=address, port=port, family=socket.AF_INET, proto=0, flags=0)
        ]

    @override
    async def close(self) -> None:
        pass


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[int]:
    """Serve on the loopback, and yield the port. A handler ends with its client, or with the context."""
    app = web.Application()
    app.router.add_get("/{path:.*}", handler)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


async def fetched(
    handler: Handler,
    path: str = "/a",
    *,
    max_bytes: int = 1000,
    timeout_s: float = 10.0,
    resolver: Callable[[AbstractResolver], AbstractResolver] = lambda system: system,
) -> bytes:
    """Fetch from a handler. resolver: by default one that lets the loopback pass."""
    async with serving(handler) as port:
        domains = AllowedDomains([f"{HOST}:{port}"])
        fetcher = Fetcher(
            domains, timeout_s, max_fetches=32, system=lambda: Names("127.0.0.1"), resolver=resolver
        )
        return await fetcher.fetch(f"http://{HOST}:{port}{path}", Budget(max_bytes))


async def hello(request: web.Request) -> web.Response:
    return web.Response(body=b"hello")


async def test_an_allowed_url_is_fetched() -> None:
    seen: list[web.Request] = []

    async def handler(request: web.Request) -> web.Response:
        seen.append(request)
        return web.Response(body=b"hello")

    assert await fetched(handler, "/a/b?c=d") == b"hello"
    (request,) = seen
    assert request.path_qs == "/a/b?c=d"
    assert request.headers["accept-encoding"] == "identity"
    assert "cookie" not in request.headers and "authorization" not in request.headers


async def test_a_host_with_an_address_that_is_not_public_is_not_connected_to() -> None:
    async def handler(request: web.Request) -> web.Response:
        raise AssertionError("the server must not be reached")

    with pytest.raises(CannotRead, match="not public"):
        await fetched(handler, resolver=PublicResolver)


async def test_a_name_is_resolved_once_so_that_it_cannot_change_its_address() -> None:
    """DNS rebinding: the address that was checked is the one that is connected to."""
    system = Names("127.0.0.1", "192.0.2.1")
    async with serving(hello) as port:
        domains = AllowedDomains([f"{HOST}:{port}"])
        fetcher = Fetcher(domains, 5.0, max_fetches=32, system=lambda: system, resolver=lambda system: system)
        assert await fetcher.fetch(f"http://{HOST}:{port}/", Budget(1000)) == b"hello"
        assert system.asked == [HOST]


async def test_one_address_that_is_not_public_is_enough_to_refuse_a_host() -> None:
    class Two(Names):
        @override
        async def resolve(
            self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
        ) -> list[ResolveResult]:
            return [*await super().resolve(host, port, family), *await super().resolve(host, port, family)]

    resolver = PublicResolver(Two("8.8.8.8", "8.8.4.4"))
    assert [found["host"] for found in await resolver.resolve(HOST)] == ["8.8.8.8", "8.8.4.4"]
    with pytest.raises(ForbiddenAddress):
        await PublicResolver(Two("8.8.8.8", "10.0.0.1")).resolve(HOST)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirects_are_not_followed(status: int) -> None:
    paths: list[str] = []

    async def handler(request: web.Request) -> web.Response:
        paths.append(request.path)
        return web.Response(status=status, headers={"location": "http://169.254.169.254/latest/meta-data"})

    with pytest.raises(CannotRead, match="redirects are not followed"):
        await fetched(handler)
    assert paths == ["/a"]


@pytest.mark.parametrize("status", [204, 206, 403, 404, 500])
async def test_another_status_is_refused(status: int) -> None:
    async def handler(request: web.Request) -> web.Response:
        return web.Response(status=status)

    with pytest.raises(CannotRead, match=f"status {status}"):
        await fetched(handler)


async def test_a_body_whose_length_is_over_the_limit_is_not_read() -> None:
    with pytest.raises(CannotRead, match="4 bytes"):
        await fetched(hello, max_bytes=4)
    assert await fetched(hello, max_bytes=5) == b"hello"


async def test_a_body_without_a_length_is_cut_off_at_the_limit() -> None:
    sent = 0

    async def handler(request: web.Request) -> web.StreamResponse:
        nonlocal sent
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"x" * 65_536)
            sent += 65_536

    with pytest.raises(CannotRead, match="100000 bytes"):
        await fetched(handler, max_bytes=100_000)
    assert sent < 50_000_000  # what the sockets hold, and not what the server would send


async def test_a_slow_body_is_given_up() -> None:
    async def handler(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"x")
            await asyncio.sleep(0.02)

    with pytest.raises(CannotRead, match=r"within 0\.2 seconds"):
        await fetched(handler, timeout_s=0.2)


async def test_a_server_that_never_answers_is_given_up() -> None:
    async def handler(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(5)
        raise AssertionError("nobody waits so long")

    with pytest.raises(CannotRead, match=r"within 0\.2 seconds"):
        await fetched(handler, timeout_s=0.2)


async def test_a_compressed_body_is_refused() -> None:
    async def handler(request: web.Request) -> web.Response:
        return web.Response(body=b"x", headers={"content-encoding": "gzip"})

    with pytest.raises(CannotRead, match="compressed"):
        await fetched(handler)


async def test_a_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert await fetched(hello) == b"hello"


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://other.example/", "not fetch from this host"),
        ("http://pictures.example.evil.example/", "not fetch from this host"),
        ("http://pictures.example:81/", "not fetch from this host"),
        ("ftp://pictures.example/", "begins with"),
        ("http:///a", "begins with|no URL"),
        ("http://user@pictures.example/", "names no user"),
        ("http://pictures.example@other.example/", "names no user"),
        ("http://pictures.example\\@other.example/", "backslashes"),  # CVE-2026-24779
        ("http://pictures.example/ a", "blanks"),
        ("http://pictures.example/\r\nHost: x", "blanks"),
        ("http://[::1", "no URL"),
        ("http://pictures.example/" + "a" * 5000, "4096 characters"),
        ("http://127.0.0.1/", "not public"),
        ("http://[::ffff:127.0.0.1]/", "not fetch from this host"),
    ],
)
async def test_a_url_that_may_not_be_fetched_is_refused_before_its_name_is_resolved(
    url: str, reason: str
) -> None:
    system = Names("8.8.8.8")
    fetcher = Fetcher(AllowedDomains([HOST, "127.0.0.1"]), 1.0, max_fetches=32, system=lambda: system)
    with pytest.raises(CannotRead, match=reason):
        await fetcher.fetch(url, Budget(1000))
    assert system.asked == []


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "017700000001", "127.1", "0177.0.0.1"])
async def test_numbers_that_the_system_reads_as_an_address_are_refused(host: str) -> None:
    fetcher = Fetcher(AllowedDomains([host]), 5.0, max_fetches=32)
    with pytest.raises(CannotRead, match="not public"):
        await fetcher.fetch(f"http://{host}/", Budget(1000))


async def test_nothing_is_fetched_where_no_domain_is_allowed() -> None:
    with pytest.raises(CannotRead, match="data URL"):
        await url_reader(Settings()).fetch(f"http://{HOST}/", Budget(1000))
    with pytest.raises(CannotRead, match="does not fetch from this host"):
        await Fetcher(AllowedDomains([]), 1.0, max_fetches=32).fetch(f"http://{HOST}/", Budget(1000))


def test_a_fetcher_is_made_where_a_domain_is_allowed() -> None:
    assert isinstance(url_reader(Settings(media_domains=(HOST,))), Fetcher)
