"""Histograms as Prometheus's text format has them, of the engine's kind."""

from collections.abc import Iterator, Sequence
from itertools import accumulate

from prometheus_client.core import HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString
from typing_extensions import override

from engine.port.info.stats import Histogram


class Histograms(Collector):
    """Histograms of the engine's kind: the library's own take ten times as long to observe a request."""

    def __init__(self, labels: Sequence[tuple[str, str]] = ()) -> None:
        """Begin without histograms. labels: the labels of all of them, with their values."""
        self._labels = dict(labels)
        self._named: dict[tuple[str, str], Histogram] = {}

    def add(self, name: str, meaning: str, *, bounds: tuple[float, ...]) -> Histogram:
        """Add an empty histogram, and return it."""
        histogram = Histogram(bounds, [0] * (len(bounds) + 1))
        self.show(name, meaning, histogram)
        return histogram

    def show(self, name: str, meaning: str, histogram: Histogram) -> None:
        """Show a histogram under this name; it may have another name elsewhere."""
        self._named[name, meaning] = histogram

    @override
    def collect(self) -> Iterator[Metric]:
        for (name, meaning), histogram in self._named.items():
            family = HistogramMetricFamily(name, meaning, labels=list(self._labels))
            family.add_metric(list(self._labels.values()), *cumulative_buckets(histogram))
            yield family


def cumulative_buckets(histogram: Histogram) -> tuple[list[tuple[str, float]], float]:
    """Return bounds with what came up to them, as the text format has it, and the sum of all values."""
    bounds = [*map(floatToGoString, histogram.bounds), "+Inf"]
    return list(zip(bounds, accumulate(histogram.counts), strict=True)), histogram.total
