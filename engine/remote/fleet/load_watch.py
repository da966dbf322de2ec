"""The load of the servers from their metrics, for routers in front of this process; no torch."""

import asyncio
import math
import re
from collections.abc import Sequence
from statistics import fmean
from typing import Final, NamedTuple, NoReturn

from engine.remote.client.failures import NoAnswer
from engine.remote.client.upstream import Upstream
from engine.remote.wire.token_api import LoadMetrics

_PATH: Final = "/metrics"
_PERIOD_S: Final = 5.0
_TIMEOUT_S: Final = 2.0
_MAX_BYTES: Final = 4 * 2**20  # vLLM's metrics have 100 KB


class Load(NamedTuple):
    """The load of all servers, from all their requests, including those of other clients."""

    num_waiting: int
    """The number of waiting sequences in all servers."""

    cache_usage: float
    """The mean utilization of the KV caches, from 0 to 1."""


class LoadWatch:
    """A periodic reader of the servers' load.

    latest: the last load; None before the first report, and while no server reports any.
    """

    def __init__(self, upstreams: Sequence[Upstream], names: LoadMetrics) -> None:
        self._upstreams = upstreams
        self._names = names
        self.latest: Load | None = None

    async def keep(self, period_s: float = _PERIOD_S, timeout_s: float = _TIMEOUT_S) -> NoReturn:
        """Read the metrics of all servers periodically. A server that does not answer in time is ignored."""
        while True:
            answers = await asyncio.gather(*(self._read(each, timeout_s) for each in self._upstreams))
            reports = [load for load in answers if load is not None]
            self.latest = None
            if reports:
                usage = fmean(load.cache_usage for load in reports)
                self.latest = Load(sum(load.num_waiting for load in reports), usage)
            await asyncio.sleep(period_s)

    async def _read(self, upstream: Upstream, timeout_s: float) -> Load | None:
        try:
            answer = await upstream.get(_PATH, timeout_s=timeout_s, max_bytes=_MAX_BYTES)
        except NoAnswer:
            return None
        return load_of(answer.body, self._names) if answer.status == 200 else None


def load_of(body: bytes, names: LoadMetrics) -> Load | None:
    """Parse the load from metrics in Prometheus' text format; None if a metric is missing or not a number.

    A server with several engines has a series for each: waiting sequences are added, utilizations are
    averaged.
    """
    text = body.decode("utf-8", "replace")
    waiting, usage = (_values(text, name) for name in names)
    if not waiting or not usage:
        return None
    return Load(int(sum(waiting)), fmean(usage))


def _values(text: str, name: str) -> list[float]:
    """Return the finite values of a metric's series that are at least 0."""
    found = []
    for match in re.finditer(rf"^{re.escape(name)}(?:\{{.*\}})? (\S+)", text, re.MULTILINE):
        try:
            value = float(match[1])
        except ValueError:
            continue
        if 0 <= value < math.inf:
            found.append(value)
    return found
