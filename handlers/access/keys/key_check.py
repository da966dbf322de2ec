"""The check of API keys in requests.

Unauthorized (of the runtime)
└── KeyRefused      the key has expired or is not for this contract
Problem
└── RateLimited     the key has exhausted a rate limit
"""

import time
from collections.abc import Callable, Sequence
from typing import Final

from handlers.access.key import Key
from handlers.access.keys.keyring import Keyring
from handlers.access.rate_limits import Exhausted
from handlers.access.visits.visit import current_visit
from verbatim_kit.runtime.operation import Operation
from verbatim_kit.runtime.problem import Problem, Unauthorized
from verbatim_kit.runtime.reading.bearer import BEARER_HEADER

# The statuses for an exhausted rate limit; the first that the operation declares is used.
_RATE_STATUSES: Final = (429, 529, 503)


class KeyRefused(Unauthorized):
    """The key has expired, or is not for this contract."""

    def __init__(self, message: str, *, takes_bearer: bool) -> None:
        super().__init__(takes_bearer=takes_bearer)
        self.message = message


class RateLimited(Problem):
    """The key has exhausted a rate limit; the header Retry-After has the seconds to wait."""

    def __init__(self, status: int, exhausted: Exhausted) -> None:
        super().__init__(
            status,
            f"Rate limit of this API key reached: {exhausted.limit}",
            "overloaded",
            retry_after_s=exhausted.wait_s,
        )


class KeyCheck:
    """The check of a request's key, which also charges the request to the key.

    Implements `verbatim_kit.runtime.runtime_options.ChecksKeys`. wall_clock: returns Unix time, for expiry.
    """

    def __init__(self, keyring: Keyring, wall_clock: Callable[[], float] = time.time) -> None:
        self._keyring = keyring
        self._wall_clock = wall_clock

    def check(self, operation: Operation, contract: str, given: Sequence[bytes]) -> None:
        """Check the keys of a request, and charge the request.

        given: the values of its key headers. Raises Unauthorized; raises RateLimited if the operation
        declares a status for it. Operations without such a status only list or describe, and have no rate
        limit.
        """
        key = self.identify(contract, given, takes_bearer=BEARER_HEADER in operation.key_headers)
        status = next((status for status in _RATE_STATUSES if status in operation.errors), None)
        if status is None:
            return
        exhausted = key.limits.exhausted()
        if exhausted is not None:
            raise RateLimited(status, exhausted)
        key.limits.count_request()

    def identify(self, contract: str | None, given: Sequence[bytes], *, takes_bearer: bool = True) -> Key:
        """Return the key of a request, and record it in the current visit. Raises Unauthorized.

        contract: the contract that the key must be valid for; None for other pages.
        """
        key = next(filter(None, [self._keyring.find(value) for value in given]), None)
        if key is None:
            raise Unauthorized(takes_bearer=takes_bearer)
        visit = current_visit.get()
        if visit is not None:
            visit.key = key
        self._check_valid(key, contract, takes_bearer=takes_bearer)
        return key

    def named(self, name: str, contract: str) -> Key:
        """Return the key with a name, for what it has asked for before. Raises Unauthorized."""
        key = self._keyring.named(name)
        if key is None:
            raise Unauthorized(takes_bearer=True)
        self._check_valid(key, contract, takes_bearer=True)
        return key

    def _check_valid(self, key: Key, contract: str | None, *, takes_bearer: bool) -> None:
        if key.has_expired(self._wall_clock()):
            raise KeyRefused("The API key has expired", takes_bearer=takes_bearer)
        if contract is not None and not key.may_use(contract):
            raise KeyRefused(f"The API key is not for {contract}", takes_bearer=takes_bearer)
