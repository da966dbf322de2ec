"""The counts of all requests that have ended, by operation, status and error."""

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Summary

from handlers.access.visits.visit import Visit

_NONE: Final = "none"  # the value of a label where there is none


class HttpMetrics:
    """Requests of any kind whose answers have ended; those of monitors are left out."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._ended = Counter(
            "http_requests",
            "Requests that have ended, but for probes and scrapes",
            ["method", "handler", "status"],
            registry=registry,
        )
        self._seconds = Summary(
            "http_request_duration_seconds",
            "Until the last byte of an answer was sent, seconds",
            ["method", "handler"],
            registry=registry,
        )
        self._errors = Counter(
            "verbatim_request_errors",
            "Requests that were refused or failed, by the error",
            ["contract", "error"],
            registry=registry,
        )

    def ended(self, visit: Visit) -> None:
        """Count a request."""
        if visit.is_quiet:
            return
        contract, operation = visit.names
        # A client may invent methods where there is no operation, so they are no label there.
        handled = (_NONE, _NONE) if operation is None else (visit.method, f"{contract}.{operation}")
        self._ended.labels(*handled, _NONE if visit.status is None else f"{visit.status // 100}xx").inc()
        self._seconds.labels(*handled).observe(visit.ended_s - visit.started_s)
        if visit.error is not None:
            self._errors.labels(contract or _NONE, visit.error).inc()
