"""The page of results: one file of HTML with plots in SVG, which needs no network."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, StrictUndefined

from handlers.bench.result import Result, percentiles

_PLOTTED: Final = ("TTFT, ms", "ITL, ms", "TPOT, ms", "end to end, ms")


def render_html(results: Sequence[Result], about: Mapping[str, Any]) -> str:
    """Return the page. about: what was measured, by its names."""
    environment = Environment(autoescape=True, undefined=StrictUndefined)
    template = environment.from_string(files(__package__).joinpath("page.html.jinja").read_text())
    plots = {name: _plot([each.samples[name] for each in results]) for name in _PLOTTED}
    return template.render(results=results, about=about, plots=plots)


def _plot(samples: Sequence[list[float]]) -> tuple[float, list[str]]:
    """Return the largest value, and for each load its cumulative distribution as points of 400 by 200."""
    largest = max((max(values) for values in samples if values), default=0.0) or 1.0
    curves = [percentiles(values) if values else [] for values in samples]
    return largest, [
        " ".join(f"{x / largest * 400:.1f},{200 - 2 * share}" for share, x in enumerate(curve))
        for curve in curves
    ]
