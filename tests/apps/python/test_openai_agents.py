"""Agents of OpenAI's Agents SDK."""

from pathlib import Path

import pytest

from tests.apps.python.environments import PROGRAMS, run_suite
from tests.apps.python.server import MODEL, agent_server

_LIMIT_S = 500


@pytest.mark.timeout(600)
def test_its_agents_work_over_both_apis(tmp_path: Path) -> None:
    settings = {"OPENAI_AGENTS_DISABLE_TRACING": "1", "MODEL": MODEL}
    suite = str(PROGRAMS / "openai_agents_suite.py")
    with agent_server() as url:
        outcome = run_suite("openai-agents", suite, home=tmp_path, limit_s=_LIMIT_S, SERVER=url, **settings)
    assert not outcome.failed, outcome.output
    for api in ("OpenAIChatCompletionsModel", "OpenAIResponsesModel"):
        assert sum(api in name for name in outcome.passed) >= 10, outcome.output
