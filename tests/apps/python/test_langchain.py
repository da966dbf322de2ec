"""LangChain's standard tests of chat models, by langchain-openai and langchain-anthropic."""

from pathlib import Path

import pytest

from tests.apps.python.environments import PROGRAMS, run_suite
from tests.apps.python.server import MODEL, agent_server

_LIMIT_S = 800


@pytest.mark.timeout(900)
def test_its_integration_tests_pass(tmp_path: Path) -> None:
    suite = str(PROGRAMS / "langchain_suite.py")
    with agent_server() as url:
        outcome = run_suite("langchain", suite, home=tmp_path, limit_s=_LIMIT_S, SERVER=url, MODEL=MODEL)
    assert not outcome.failed, outcome.output
    for api in ("TestOpenAIChat", "TestOpenAIResponses", "TestAnthropic"):
        assert sum(f"{api}." in name for name in outcome.passed) >= 30, outcome.output
