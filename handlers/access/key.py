"""One API key: whose it is, and what it may do."""

import hmac
from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from typing import Annotated

import msgspec

from .rate_limits import RateLimits

PerMinute = Annotated[int, msgspec.Meta(ge=1, le=10**12)]


class KeyEntry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the file of keys says of one.

    name: what the operator and the audit log call it.
    sha256: the hash of the key, in hexadecimal. A key of `verbatim keys new` has 256 random bits, which no
        one finds by trying, however fast the hash is; a slow one would only cost each request its time.
    contracts: those that it may use; None for all.
    expires: when it stops being valid; None for never.
    """

    name: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}\Z")]
    sha256: Annotated[str, msgspec.Meta(pattern=r"^[0-9A-Fa-f]{64}\Z")]
    contracts: tuple[str, ...] | None = None
    requests_per_minute: PerMinute | None = None
    tokens_per_minute: PerMinute | None = None
    expires: Annotated[datetime, msgspec.Meta(tz=True)] | None = None


class Key:
    """An entry while the server runs, with what is left of its limits.

    keeps_apart: whether its requests share cached prompts with none of another key.
    clock: seconds that never go back, for the limits.
    """

    def __init__(self, entry: KeyEntry, clock: Callable[[], float], *, keeps_apart: bool) -> None:
        self.entry = entry
        self.digest = bytes.fromhex(entry.sha256)
        self.limits = RateLimits(entry.requests_per_minute, entry.tokens_per_minute, clock)
        self._expires_s = None if entry.expires is None else entry.expires.timestamp()
        self._keeps_apart = keeps_apart

    @property
    def name(self) -> str:
        return self.entry.name

    def may_use(self, contract: str) -> bool:
        return self.entry.contracts is None or contract in self.entry.contracts

    def has_expired(self, now_s: float) -> bool:
        """now_s: Unix time."""
        return self._expires_s is not None and now_s >= self._expires_s

    def cache_salt(self, given: str | None) -> str | None:
        """The salt under which the prefix cache keeps the prompts of a request that brings one, or none.

        Nobody else can bring it: it is a hash keyed by the key's own. So how fast a request is answered tells
        nothing of other keys' prompts, not even where their requests bring the same salt.
        """
        if not self._keeps_apart:
            return given
        message = b"" if given is None else b"\x00" + given.encode("utf-8", "surrogatepass")
        return hmac.digest(self.digest, message, sha256).hex()
