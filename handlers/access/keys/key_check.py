"""The check of requests' keys.

Unauthorized (of the runtime)
└── KeyRefused      the key is known, but may not do this
Problem
└── RateLimited     the key has used up its limit for a minute
"""

import time
from collections.abc import Callable, Sequence
from typing import Final

from generated.operation import Operation
from handlers.access.key import Key
from handlers.access.keys.keyring import Keyring
from handlers.access.rate_limits import Exhausted
from handlers.access.visit import current_visit
from handlers.runtime.problem import Problem, Unauthorized
from handlers.runtime.reading.bearer import BEARER_HEADER

# The first of these that an operation declares is sent for a key over its rate limit.
_RATE_STATUSES: Final = (429, 529, 503)


class KeyRefused(Unauthorized):
    """A key that has expired, or is not for this contract."""

    def __init__(self, message: str, *, takes_bearer: bool) -> None:
        super().__init__(takes_bearer=takes_bearer)
        self.message = message


class RateLimited(Problem):
    """The key is over its limit for a minute; the header Retry-After says when it may go on."""

    def __init__(self, status: int, exhausted: Exhausted) -> None:
        super().__init__(
            status,
            f"Rate limit of this API key reached: {exhausted.limit}",
            "overloaded",
            retry_after_s=exhausted.wait_s,
        )


class KeyCheck:
    """The check of each request's key, which also charges the key for the request.

    Implements `handlers.runtime.protocols.checks_keys.ChecksKeys`. wall_clock: Unix time, by which keys
    expire.
    """

    def __init__(self, keyring: Keyring, wall_clock: Callable[[], float] = time.time) -> None:
        self._keyring = keyring
        self._wall_clock = wall_clock

    def check(self, operation: Operation, contract: str, given: Sequence[bytes]) -> None:
        """Check the keys of a request, and count it.

        Raises Unauthorized, and RateLimited where the operation declares a status for it.
        Operations that declare none only list and describe, and are not limited.
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
        """Return the key of a request, and remember it for the visit. Raises Unauthorized.

        contract: the one that it must be valid for; None for pages of no contract.
        """
        found = [self._keyring.find(one) for one in given]
        key = next(filter(None, found), None)
        if key is None:
            raise Unauthorized(takes_bearer=takes_bearer)
        visit = current_visit.get()
        if visit is not None:
            visit.key = key
        if key.has_expired(self._wall_clock()):
            raise KeyRefused("The API key has expired", takes_bearer=takes_bearer)
        if contract is not None and not key.may_use(contract):
            raise KeyRefused(f"The API key is not for {contract}", takes_bearer=takes_bearer)
        return key
