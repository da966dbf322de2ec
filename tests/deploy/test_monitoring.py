"""Every metric that a rule, a scaler or a dashboard asks for is one that a server shows."""

import re
from pathlib import Path

import pytest

from engine.port.text.token_memory import TokenMemory
from handlers.active_requests.metrics import Metrics
from tests.deploy.files import DEPLOY
from tests.unit.docs.metrics import ALL
from tests.unit.handlers.active_requests.test_metrics import INFO

_ASKED = re.compile(r"\b(?:vllm:|tgi_|verbatim_)\w+")
_TYPE = re.compile(r"^# TYPE (\S+) (\w+)$", re.MULTILINE)
_SUFFIXES = {"histogram": ("_bucket", "_sum", "_count")}
ASKING = [
    DEPLOY / "monitoring" / "rules.yaml",
    DEPLOY / "helm" / "verbatim" / "templates" / "autoscaling.yaml",
    *sorted((DEPLOY / "monitoring" / "dashboards").glob("*.json")),
]


def shown() -> set[str]:
    """Return the names of the series of a server that has everything that may be counted."""
    text = Metrics(INFO, lambda: ALL, memory=TokenMemory()).render()
    return {name + suffix for name, kind in _TYPE.findall(text) for suffix in _SUFFIXES.get(kind, ("",))}


@pytest.mark.parametrize("path", ASKING, ids=lambda path: str(path.name))
def test_each_metric_that_is_asked_for_is_shown(path: Path) -> None:
    asked = {*_ASKED.findall(path.read_text(encoding="utf-8"))}
    assert asked and asked <= shown(), asked - shown()
