"""The count of ended requests of all kinds, by answer and by error."""

from collections import Counter
from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from typing_extensions import override

from handlers.access.visits.visit import Visit

_NONE = "none"  # the value of a label where there is none


class EndedRequests(Collector):
    """Counts requests in plain dictionaries: the library's counters take ten times as long for each."""

    def __init__(self) -> None:
        self._answers: Counter[tuple[str, str | None, str | None, int | None]] = Counter()
        self._errors: Counter[tuple[str | None, str]] = Counter()

    def count(self, visit: Visit) -> None:
        """Count a request that has ended; those of monitors are left out."""
        if visit.is_quiet:
            return
        endpoint = visit.endpoint
        contract = None if endpoint is None else endpoint.contract.name
        operation = None if endpoint is None else endpoint.operation.id
        self._answers[visit.method, contract, operation, visit.status] += 1
        if visit.error is not None:
            self._errors[contract, visit.error] += 1

    @override
    def collect(self) -> Iterator[Metric]:
        answers = CounterMetricFamily(
            "http_requests",
            "Requests that have ended, but for probes and scrapes",
            labels=["method", "handler", "status"],
        )
        by_class: Counter[tuple[str, str, str]] = Counter()
        for (method, contract, operation, status), number in self._answers.items():
            # A client may invent methods where there is no operation, so they are no label there.
            handled = (_NONE, _NONE) if operation is None else (method, f"{contract}.{operation}")
            by_class[*handled, _NONE if status is None else f"{status // 100}xx"] += number
        for labels, number in by_class.items():
            answers.add_metric(labels, number)
        errors = CounterMetricFamily(
            "verbatim_request_errors",
            "Requests that were refused or failed, by the error",
            labels=["contract", "error"],
        )
        for (contract, error), number in self._errors.items():
            errors.add_metric([contract or _NONE, error], number)
        yield from (answers, errors)
