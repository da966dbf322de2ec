"""The bounds of a connection."""

from dataclasses import dataclass


@dataclass(frozen=True)
class HttpLimits:
    """The bounds that hold before an application has read a request. Sizes are in bytes, times in seconds."""

    max_url_bytes: int
    max_header_bytes: int
    max_headers: int
    header_timeout: float
    body_timeout: float
    min_body_rate: int
    keep_alive_timeout: float
    client_timeout: float
    max_connections: int | None
    """Open connections; None for as many as there are descriptors for."""
    max_discarded_bytes: int
    """Bytes of an answered request that are still read, since many clients read no answer before they have
    sent all, and closing with unread bytes would discard it. They are not kept, so they cost little.
    """

    @property
    def sweep_interval_s(self) -> float:
        """The time between two checks of all connections, by which a time limit may be overrun at most."""
        shortest = min(self.header_timeout, self.body_timeout, self.keep_alive_timeout, self.client_timeout)
        return min(1.0, shortest / 4)
