"""The resolution of host names to addresses that may be connected to."""

import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final

from aiohttp.abc import AbstractResolver, ResolveResult
from typing_extensions import override

# In these an IPv4 address may be hidden: compatible and mapped ones (RFC 4291, 2.5.5), and those that a
# translator connects to (RFC 6052, RFC 8215).
_HIDING: Final = (IPv6Network("::/8"), IPv6Network("64:ff9b::/32"))


class ForbiddenAddress(OSError):
    """A host that has an address that is not public."""


def is_public(text: str) -> bool:
    """Return whether an address is one of the Internet's, and no address in it is another.

    Private, loopback, link-local, site-local, multicast, reserved and unspecified addresses are not. Nor are
    IPv6 addresses that stand for an IPv4 address, by mapping or behind a translator, nor those of 6to4 and
    Teredo with an IPv4 address that is not public.
    """
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, IPv4Address):
        return _is_global(address)
    if address.is_site_local or any(address in network for network in _HIDING):
        return False
    held = (address.sixtofour, *(address.teredo or ()))
    return _is_global(address) and all(_is_global(one) for one in held if one is not None)


def _is_global(address: IPv4Address | IPv6Address) -> bool:
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


class PublicResolver(AbstractResolver):
    """Resolves names by the system, and raises ForbiddenAddress unless all addresses are public.

    The connection is made to these very addresses, so a name that changes its address in between gains
    nothing.
    """

    def __init__(self, system: AbstractResolver) -> None:
        self._system = system

    @override
    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        found = await self._system.resolve(host, port, family)
        if not all(is_public(each["host"]) for each in found):
            raise ForbiddenAddress(f"{host} has an address that is not public")
        return found

    @override
    async def close(self) -> None:
        await self._system.close()
