"""Metrics as the client library takes them, by their labels, and the engine's histograms."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TypeVar

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString
from typing_extensions import override

from engine.port.info.stats import Histogram

Labels = TypeVar("Labels", bound=tuple[str, ...])
"""The values of a metric's labels."""


def counter(
    name: str, meaning: str, samples: Mapping[Labels, float] | float, labels: Sequence[str] = ()
) -> Metric:
    """Return a metric that grows. samples: by the values of its labels, or the only one."""
    return _filled(CounterMetricFamily(name, meaning, labels=labels), samples)


def gauge(
    name: str, meaning: str, samples: Mapping[Labels, float] | float, labels: Sequence[str] = ()
) -> Metric:
    """Return a metric that goes up and down. samples: as of `counter`."""
    return _filled(GaugeMetricFamily(name, meaning, labels=labels), samples)


def _filled(
    family: CounterMetricFamily | GaugeMetricFamily, samples: Mapping[Labels, float] | float
) -> Metric:
    if not isinstance(samples, Mapping):
        family.add_metric((), samples)
        return family
    for values, value in samples.items():
        family.add_metric(values, value)
    return family


def histograms(
    name: str, meaning: str, found: Mapping[Labels, Histogram], labels: Sequence[str] = ()
) -> Metric:
    """Return a metric of histograms, by the values of its labels."""
    family = HistogramMetricFamily(name, meaning, labels=labels)
    for values, histogram in found.items():
        bounds = [*map(floatToGoString, histogram.bounds), "+Inf"]
        buckets = list(zip(bounds, accumulate(histogram.counts), strict=True))
        family.add_metric(values, buckets, histogram.total)
    return family


class Histograms(Collector):
    """Histograms of the engine's kind: the library's own take ten times as long to observe a request."""

    def __init__(self, labels: Mapping[str, str] = {}) -> None:
        """Begin without histograms. labels: the labels of all of them, with their values."""
        self._labels = labels
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
            yield histograms(name, meaning, {tuple(self._labels.values()): histogram}, tuple(self._labels))
