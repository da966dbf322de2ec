"""The host names that a server accepts in requests."""

from collections.abc import Sequence
from functools import lru_cache
from ipaddress import ip_address
from typing import Final

_ANY: Final = "*"
_ANY_BELOW: Final = "*."
_MAX_LENGTH: Final = 255  # of a name (RFC 1035, section 3.1)
_NUM_REMEMBERED: Final = 256  # hosts in the cache, since parsing an address is slow


class AllowedHosts:
    """The allowed host names: those of this machine, and those of the settings.

    names: host names without a port; `*.example.com` matches all subdomains of example.com, and `*` any name.
    """

    def __init__(self, names: Sequence[str] = ()) -> None:
        self._names = frozenset(name.lower().strip("[]") for name in names)
        self._endings = tuple(name[1:].lower() for name in names if name.startswith(_ANY_BELOW))

    def admits(self, authority: str) -> bool:
        """Return whether the host of a Host header, which may have a port, is allowed."""
        host = host_of(authority)
        return len(host) <= _MAX_LENGTH and (
            _ANY in self._names
            or host in self._names
            or bool(self._endings and host.endswith(self._endings))
            or is_loopback(host)
        )


def host_of(authority: str) -> str:
    """Return the host in `host`, `host:port` or `[address]:port` (RFC 3986, section 3.2), in lower case.

    The brackets of an IPv6 address and the final dot of a fully qualified name are removed.
    """
    if authority.startswith("["):
        return authority[1:].partition("]")[0].lower()
    return authority.partition(":")[0].removesuffix(".").lower()


@lru_cache(_NUM_REMEMBERED)
def is_loopback(host: str) -> bool:
    """Return whether a host is `localhost` or a loopback address (127.0.0.0/8, ::1)."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
