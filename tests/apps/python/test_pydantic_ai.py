"""Agents of pydantic-ai."""

from pathlib import Path

import pytest

from tests.apps.python.environments import PROGRAMS, run_suite
from tests.apps.python.server import MODEL, agent_server

_LIMIT_S = 500


@pytest.mark.timeout(600)
def test_its_agents_work_over_every_api(tmp_path: Path) -> None:
    suite = str(PROGRAMS / "pydantic_ai_suite.py")
    with agent_server() as url:
        outcome = run_suite("pydantic-ai", suite, home=tmp_path, limit_s=_LIMIT_S, SERVER=url, MODEL=MODEL)
    assert not outcome.failed, outcome.output
    for api in ("chat", "responses", "anthropic"):
        assert sum(f"[{api}" in name for name in outcome.passed) >= 7, outcome.output
