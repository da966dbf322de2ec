"""The count of the fields of requests that had no effect, so that an operator sees what clients send."""

import logging
from collections.abc import Collection
from typing import Final

from prometheus_client import CollectorRegistry, Counter

# Clients choose the names: more of them, and longer ones, are counted together.
_MAX_NAMES: Final = 200
_MAX_CHARACTERS: Final = 100
_OTHERS: Final = "(others)"

_log = logging.getLogger(__name__)


class IgnoredFields:
    """The metric `verbatim_ignored_fields_total`, and a line of the log at the first sight of each name."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._count = Counter(
            "verbatim_ignored_fields",
            "Requests that had an unknown field without effect",
            ["contract", "field"],
            registry=registry,
        )
        self._seen: set[tuple[str, str]] = set()

    def add(self, contract: str, names: Collection[str]) -> None:
        """Count the names of one request."""
        for field in {self._label(contract, name) for name in names}:
            self._count.labels(contract, field).inc()

    def _label(self, contract: str, name: str) -> str:
        if (contract, name) in self._seen:
            return name
        if len(self._seen) >= _MAX_NAMES or len(name) > _MAX_CHARACTERS or not name.isprintable():
            return _OTHERS
        self._seen.add((contract, name))
        _log.debug("%s: the unknown field %s has no effect", contract, name)
        return name
