"""How many sequences the server lets in."""

from contextlib import AbstractContextManager
from typing import Final

from typing_extensions import override

from handlers.refused import Refused
from handlers.violation import Violation

RETRY_AFTER_S: Final = 1  # a place is free as soon as any request ends


class Overloaded(Exception):
    """No room for the request now; the client may try again."""


class TooManySequences(Refused):
    """A request for more sequences than the server ever runs at once: trying again is no use."""

    def __init__(self, field: str, num_sequences: int, limit: int) -> None:
        super().__init__(
            f"`{field}` asks for {num_sequences} sequences; the server runs {limit} at once",
            field,
            Violation.TOO_LARGE,
        )


class ConcurrencyLimit:
    """Permits for sequences that run or wait; one loop uses it, so it needs no lock.

    Invariant: 0 <= in_use <= limit; each permit is given back exactly once.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.in_use = 0

    def hold(self, num_permits: int, field: str) -> AbstractContextManager[None]:
        """Hold permits while the block runs, all or none of them; the field is the one that asks for them.

        Raises Overloaded if fewer are free, TooManySequences if there are fewer.
        """
        return _Permits(self, num_permits, field)


class _Permits(AbstractContextManager[None]):
    """Held while its block runs."""

    def __init__(self, limit: ConcurrencyLimit, num_permits: int, field: str) -> None:
        self._limit = limit
        self._num_permits = num_permits
        self._field = field

    @override
    def __enter__(self) -> None:
        limit, num_permits = self._limit, self._num_permits
        if num_permits > limit.limit:
            raise TooManySequences(self._field, num_permits, limit.limit)
        if limit.in_use + num_permits > limit.limit:
            raise Overloaded
        limit.in_use += num_permits

    @override
    def __exit__(self, *_: object) -> None:
        self._limit.in_use -= self._num_permits
