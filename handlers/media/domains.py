"""The hosts that the operator allows to fetch from."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from yarl import URL  # which the settings, that only check names, do not need

SCHEMES: Final = ("http", "https")  # of URLs that may be fetched

_LABELS: Final = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*")
_WILD: Final = "*."
_LAST_PORT: Final = 65_535


class InvalidDomain(ValueError):
    """An entry of the list that names no hosts."""


class Domain(msgspec.Struct, frozen=True):
    """A host, or all hosts below one; and the port, where it is not the scheme's own."""

    host: str
    takes_subdomains: bool = False
    port: int | None = None

    @classmethod
    def parse(cls, text: str) -> "Domain":
        """Read `example.com`, `*.example.com` or `example.com:8443`. Raises InvalidDomain."""
        name, _, port = text.strip().lower().partition(":")
        host = name.removeprefix(_WILD)
        if not _LABELS.fullmatch(host):
            raise InvalidDomain(f"{text!r} is neither a host name nor *. and one")
        if port and not (port.isdecimal() and 0 < int(port) <= _LAST_PORT):
            raise InvalidDomain(f"{text!r} has no port from 1 to {_LAST_PORT} after its colon")
        return cls(host, name.startswith(_WILD), int(port) if port else None)

    def holds(self, url: "URL") -> bool:
        """Return whether the URL is of such a host and port."""
        host = (url.raw_host or "").lower()
        is_host = host.endswith(f".{self.host}") if self.takes_subdomains else host == self.host
        return is_host and (url.is_default_port() if self.port is None else url.port == self.port)


class AllowedDomains:
    """The list of the operator's."""

    def __init__(self, names: Sequence[str]) -> None:
        """Parse the names. Raises InvalidDomain for one that is no domain."""
        self._domains = tuple(map(Domain.parse, names))

    def hold(self, url: "URL") -> bool:
        """Return whether the URL may be fetched, as far as its host's name is concerned."""
        return any(domain.holds(url) for domain in self._domains)
