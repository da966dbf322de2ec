"""The result of a load: percentiles of its requests."""

from collections import Counter
from dataclasses import asdict
from itertools import pairwise
from statistics import fmean, quantiles
from typing import Any, Final

from handlers.commands.bench.client import Exchange

_PERCENTILES: Final = (50, 90, 95, 99)
_COLUMNS: Final = ("mean", *(f"p{each}" for each in _PERCENTILES), "max")


def _percentiles(values: list[float]) -> list[float]:
    """Return the percentiles from 0 to 100, interpolated between neighbours; none of no values."""
    if len(values) < 2:
        return values * 101
    return [min(values), *quantiles(values, n=100, method="inclusive"), max(values)]


class Result:
    """The figures of one load, such as "concurrency 4"."""

    def __init__(self, name: str, exchanges: list[Exchange]) -> None:
        self.name = name
        self._exchanges = exchanges
        self.errors = Counter(each.error for each in exchanges if each.error is not None)
        done = [each for each in exchanges if each.error is None]
        self.seconds = max(e.ended_s for e in exchanges) - min(e.started_s for e in exchanges)
        self.samples: dict[str, list[float]] = {
            "TTFT, ms": [1e3 * (e.arrivals_s[0] - e.started_s) for e in done],
            "ITL, ms": [1e3 * (b - a) for e in done for a, b in pairwise(e.arrivals_s)],
            "TPOT, ms": [
                1e3 * (e.arrivals_s[-1] - e.arrivals_s[0]) / (e.num_output_tokens - 1)
                for e in done
                if e.num_output_tokens > 1
            ],
            "end to end, ms": [1e3 * (e.ended_s - e.started_s) for e in done],
            "tokens/s of a request": [e.num_output_tokens / (e.ended_s - e.started_s) for e in done],
            "prompt tokens": [e.num_prompt_tokens or 0 for e in done],
            "output tokens": [e.num_output_tokens for e in done],
            "sent late, ms": [1e3 * e.lag_s for e in exchanges],
        }
        self.rates = {
            "requests/s": len(done) / self.seconds,
            "output tokens/s": sum(self.samples["output tokens"]) / self.seconds,
            "prompt tokens/s": sum(self.samples["prompt tokens"]) / self.seconds,
        }

    def figures(self) -> dict[str, dict[str, float]]:
        """Return the mean, the percentiles and the maximum of what has samples."""
        figures = {}
        for name, values in self.samples.items():
            if curve := _percentiles(values):
                row = (fmean(values), *(curve[each] for each in _PERCENTILES), curve[-1])
                figures[name] = dict(zip(_COLUMNS, row, strict=True))
        return figures

    def curve(self, name: str, largest: float) -> str:
        """Return the cumulative distribution of samples, as points of a plot of 400 by 200."""
        shares = enumerate(_percentiles(self.samples[name]))
        return " ".join(f"{x / largest * 400:.1f},{200 - 2 * share}" for share, x in shares)

    def table(self) -> str:
        counts = f"{len(self._exchanges)} requests in {self.seconds:.2f} s, {self.errors.total()} failed"
        rates = ", ".join(f"{rate:.2f} {unit}" for unit, rate in self.rates.items())
        lines = [
            f"{self.name}: {counts}",
            f"  {rates}",
            " " * 24 + "".join(f"{name:>11}" for name in _COLUMNS),
        ]
        for name, row in self.figures().items():
            lines.append(f"  {name:<22}" + "".join(f"{value:>11.2f}" for value in row.values()))
        return "\n".join([*lines, *(f"  {n} times: {error}" for error, n in self.errors.most_common())])

    def record(self) -> dict[str, Any]:
        """Return everything, for a file of JSON."""
        counts = {"load": self.name, "seconds": self.seconds, "errors": self.errors, **self.rates}
        return {**counts, "figures": self.figures(), "requests": [asdict(each) for each in self._exchanges]}
