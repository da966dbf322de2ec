"""The rate limits of a key."""

from collections.abc import Callable
from typing import NamedTuple

from handlers.access.bucket import TokenBucket


class Exhausted(NamedTuple):
    """An exhausted rate limit. wait_s: seconds until a request is allowed again."""

    per_minute: int
    unit: str
    wait_s: float

    @property
    def limit(self) -> str:
        return f"{self.per_minute} {self.unit} a minute"


class RateLimit(NamedTuple):
    """A limit of a key, as it is now. unit: requests or tokens. reset_s: seconds until all is left again."""

    unit: str
    per_minute: int
    left: int
    reset_s: float


class RateLimits:
    """Limits on requests and tokens per minute; None for no limit.

    clock: monotonic seconds.
    """

    def __init__(
        self, requests_per_minute: int | None, tokens_per_minute: int | None, clock: Callable[[], float]
    ) -> None:
        self._clock = clock
        now_s = clock()
        self._requests = None if requests_per_minute is None else TokenBucket(requests_per_minute, now_s)
        self._tokens = None if tokens_per_minute is None else TokenBucket(tokens_per_minute, now_s)

    def exhausted(self) -> Exhausted | None:
        """Return the exhausted limit, with the longer wait if both are; None if neither is."""
        now_s = self._clock()
        found = [Exhausted(bucket.per_minute, unit, bucket.wait_s(now_s)) for unit, bucket in self._buckets()]
        longest = max(found, key=lambda limit: limit.wait_s, default=None)
        return None if longest is None or longest.wait_s == 0.0 else longest

    def now(self) -> list[RateLimit]:
        """Return each limit that there is, as it is now."""
        now_s = self._clock()
        return [
            RateLimit(unit, bucket.per_minute, bucket.left(now_s), bucket.fills_in_s(now_s))
            for unit, bucket in self._buckets()
        ]

    def _buckets(self) -> list[tuple[str, TokenBucket]]:
        named = (("requests", self._requests), ("tokens", self._tokens))
        return [(unit, bucket) for unit, bucket in named if bucket is not None]

    def count_request(self) -> None:
        """Charge an admitted request."""
        if self._requests is not None:
            self._requests.spend(1, self._clock())

    def count_tokens(self, num_tokens: int) -> None:
        """Charge prompt or generated tokens, when their number is known."""
        if self._tokens is not None:
            self._tokens.spend(num_tokens, self._clock())
