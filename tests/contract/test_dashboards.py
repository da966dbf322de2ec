"""Each query of a dashboard finds its series in what a server shows: ours, and those of TGI and vLLM."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import httpx
import pytest

from tests.unit.docs.pages import ROOT

DASHBOARDS: Final = sorted((ROOT / "tools/deploy/monitoring/dashboards").glob("*.json"))
# The series and labels in the queries of assets/tgi_grafana.json (TGI 3.3), of the dashboards in vLLM's
# examples/observability as of November 2026, and of production-stack's helm/dashboards (August 2026). Labels
# that a scrape adds are left out, and so is what docs/metrics.md says that a server here has not.
PUBLISHED: Final[dict[str, list[str]]] = json.loads(
    (ROOT / "tests/contract/published_queries.json").read_text(encoding="utf-8")
)
_SERIES: Final = re.compile(r"((?:vllm:|tgi_|verbatim_|process_|http_)\w+)\{([^}]*)\}")
_LABEL: Final = re.compile(r'(\w+)="')
_GROUPS: Final = re.compile(r"by \(([^)]*)\)")
_OF_SCRAPES: Final = {"instance", "job"}


@pytest.fixture(scope="session")
def shown(server_url: str) -> dict[str, set[str]]:
    """Return the labels of each series that a server shows after an answer and a refusal."""
    chat: Any = {
        "model": "verbatim-demo",
        "messages": [{"role": "user", "content": "Hello"}],
        "max_tokens": 4,
    }
    httpx.post(f"{server_url}/v1/chat/completions", json=chat, timeout=60).raise_for_status()
    assert httpx.post(f"{server_url}/v1/chat/completions", json={}, timeout=60).status_code == 400
    labels: dict[str, set[str]] = {}
    for line in httpx.get(f"{server_url}/metrics", timeout=60).text.splitlines():
        if not line.startswith("#"):
            labels.setdefault(re.split(r"[{ ]", line)[0], set()).update(_LABEL.findall(line))
    return labels


def expressions(dashboard: Any) -> Iterator[str]:
    """Yield the queries anywhere in a dashboard."""
    if isinstance(dashboard, dict):
        if "expr" in dashboard:
            yield dashboard["expr"]
        dashboard = list(dashboard.values())
    if isinstance(dashboard, list):
        for part in dashboard:
            yield from expressions(part)


@pytest.mark.parametrize("path", DASHBOARDS, ids=lambda path: str(path.stem))
def test_each_query_of_our_dashboards_has_series(path: Any, shown: dict[str, set[str]]) -> None:
    found = list(expressions(json.loads(path.read_text(encoding="utf-8"))))
    assert len(found) > 20
    for expression in found:
        series = _SERIES.findall(expression)
        assert series, expression
        known = {label for name, _ in series for label in shown.get(name, ())} | _OF_SCRAPES
        for name, matchers in series:
            assert name in shown, expression
            assert {match.split("=")[0].strip() for match in matchers.split(",")} <= known, expression
        grouped = {label.strip() for group in _GROUPS.findall(expression) for label in group.split(",")}
        assert grouped <= known, expression


@pytest.mark.parametrize("server", PUBLISHED)
def test_each_query_of_a_published_dashboard_has_series(server: str, shown: dict[str, set[str]]) -> None:
    for query in PUBLISHED[server]:
        name, _, labels = query.removesuffix("}").partition("{")
        assert name in shown, query
        assert {label.strip() for label in labels.split(",") if label} <= shown[name], query


def test_a_query_without_series_is_found() -> None:
    assert _SERIES.findall('rate(tgi_nothing{a="b"}[5m])') == [("tgi_nothing", 'a="b"')]
