"""How many sequences the server lets in."""

from collections.abc import Iterator
from contextlib import contextmanager


class Overloaded(Exception):
    """No room for the request now; the client may try again."""


class ConcurrencyLimit:
    """Permits for sequences that run or wait; one loop uses it, so it needs no lock.

    Invariant: 0 <= in_use <= limit; each permit is given back exactly once.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.in_use = 0

    @contextmanager
    def hold(self, num_permits: int) -> Iterator[None]:
        """Hold permits while the block runs, all or none of them.

        Raises Overloaded if fewer are free.
        """
        if self.in_use + num_permits > self.limit:
            raise Overloaded
        self.in_use += num_permits
        try:
            yield
        finally:
            self.in_use -= num_permits
