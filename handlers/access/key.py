"""An API key, with its rights and limits."""

import hmac
from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from typing import Annotated

import msgspec

from handlers.access.rate_limits import RateLimits

PerMinute = Annotated[int, msgspec.Meta(ge=1, le=10**12)]


class KeyEntry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The entry of a key in the key file.

    name: the key's name in logs. sha256: the hash of the key, in hexadecimal. A fast hash is sufficient,
    since a key from `verbatim keys new` has 256 random bits and cannot be guessed. contracts: the contracts
    that it may use; None for all. expires: when the key expires; None for never.
    """

    name: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}\Z")]
    sha256: Annotated[str, msgspec.Meta(pattern=r"^[0-9A-Fa-f]{64}\Z")]
    contracts: tuple[str, ...] | None = None
    requests_per_minute: PerMinute | None = None
    tokens_per_minute: PerMinute | None = None
    expires: Annotated[datetime, msgspec.Meta(tz=True)] | None = None


class Key:
    """A key of a running server: its entry and the state of its rate limits.

    keeps_apart: its requests do not share cached prompts with those of other keys.
    clock: monotonic seconds, for the rate limits.
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
        """Return whether the key has expired. now_s: Unix time."""
        return self._expires_s is not None and now_s >= self._expires_s

    def cache_salt(self, given: str | None) -> str | None:
        """Return the salt of the prefix cache for a request.

        given: the salt in the request; None without one. The result is an HMAC under the key's hash, which no
        request with another key can have. So the time of an answer does not reveal the prompts of other keys,
        even if requests use the same salt.
        """
        if not self._keeps_apart:
            return given
        message = b"" if given is None else b"\x00" + given.encode("utf-8", "surrogatepass")
        return hmac.digest(self.digest, message, sha256).hex()
