"""How many sequences the server lets in."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

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

    @contextmanager
    def hold(self, num_permits: int, field: str) -> Iterator[None]:
        """Hold permits while the block runs, all or none of them; the field is the one that asks for them.

        Raises Overloaded if fewer are free, TooManySequences if there are fewer.
        """
        if num_permits > self.limit:
            raise TooManySequences(field, num_permits, self.limit)
        if self.in_use + num_permits > self.limit:
            raise Overloaded
        self.in_use += num_permits
        try:
            yield
        finally:
            self.in_use -= num_permits
