"""One scrape of a server's metrics, and what changed between two."""

from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise

from prometheus_client.parser import text_string_to_metric_families


class Scrape:
    """The samples of one scrape, by name. The parser adds `_total` to the names of counters that lack it."""

    def __init__(self, text: str, at_s: float) -> None:
        """text: the text exposition format. at_s: the time of the scrape. Raises ValueError."""
        self.at_s = at_s
        self._samples: defaultdict[str, list[tuple[Mapping[str, str], float]]] = defaultdict(list)
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                self._samples[sample.name].append((sample.labels, sample.value))

    def value(self, name: str) -> float | None:
        """Return the sum of all series of the name, or None if there is none."""
        samples = self._samples.get(name)
        return sum(value for _, value in samples) if samples else None

    def by_label(self, name: str, label: str) -> dict[str, float]:
        """Return the sums of the series of the name, by the value of a label."""
        sums: defaultdict[str, float] = defaultdict(float)
        for labels, value in self._samples.get(name, ()):
            sums[labels.get(label, "")] += value
        return sums


def increase(old: Scrape, new: Scrape, name: str) -> float:
    """Return by how much a counter grew; 0 if either scrape has none."""
    before, after = old.value(name), new.value(name)
    return 0.0 if before is None or after is None else after - before


def quantile(old: Scrape, new: Scrape, name: str, share: float) -> float | None:
    """Return a quantile of what a histogram counted between the scrapes, or None if that is nothing.

    As Prometheus's `histogram_quantile`, interpolates in the bucket in which the quantile lies.
    """
    earlier = old.by_label(f"{name}_bucket", "le")
    counts = {float(le): n - earlier.get(le, 0) for le, n in new.by_label(f"{name}_bucket", "le").items()}
    rank = share * counts.get(float("inf"), 0)
    if rank <= 0:
        return None
    for (low, below), (high, up_to) in pairwise([(0.0, 0.0), *sorted(counts.items())]):
        if up_to >= rank:
            return low if high == float("inf") else low + (high - low) * (rank - below) / (up_to - below)
    return None
