"""The suites in `programs`, and openai-python's own, each in its environment against a scripted model."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tests.apps.python.environments import OPENAI_PYTHON, PROGRAMS, run_suite
from tests.apps.python.server import MODEL, agent_server
from tests.apps.recorder import Received, record

# The tests of openai-python that this server can pass. The others ask for what is not offered (stored
# answers, deletion of models), or were written for a mock server: those of responses name no model,
# `all_params` sends values out of OpenAI's own bounds, such as `best_of: 0`, and a strict client does not
# take the base64 of embeddings, which it asks for itself.
_OPENAI_TESTS: Final = (
    "tests/api_resources/test_completions.py",
    "tests/api_resources/test_embeddings.py",
    "tests/api_resources/test_models.py",
    "tests/api_resources/chat/test_completions.py",
    "-k",
    "(overload and not all_params) or (Models and not delete) or (Embeddings and loose)",
)
_OPENAI_MODELS: Final = ("gpt-3.5-turbo-instruct", "gpt-6-astra", "text-embedding-3-small")


class _Suite(NamedTuple):
    """A program and the tests that pytest runs in a folder.

    least_passed: the least number that must pass of those with a text in their names.
    """

    program: str
    arguments: tuple[str, ...]
    least_passed: Mapping[str, int]
    folder: Path = PROGRAMS


_SUITES: Final = [
    _Suite("browser-use", ("browser_use_suite.py",), {"schema": 1}),
    _Suite(
        "langchain",
        ("langchain_suite.py",),
        {"TestOpenAIChat.": 30, "TestOpenAIResponses.": 30, "TestAnthropic.": 30},
    ),
    _Suite(
        "mini-swe-agent",
        ("litellm_suite.py",),
        {"loop": 6, "agent": 3},
    ),
    _Suite(
        "openai-agents",
        ("openai_agents_suite.py",),
        {"OpenAIChatCompletionsModel": 10, "OpenAIResponsesModel": 10},
    ),
    _Suite(
        "openai-python",
        _OPENAI_TESTS,
        {"Completions.": 60, "Embeddings.": 8, "Models.": 35},
        OPENAI_PYTHON,
    ),
    _Suite("qwen-agent", ("qwen_agent_suite.py",), {"assistant": 2}),
    _Suite("pydantic-ai", ("pydantic_ai_suite.py",), {"[chat": 7, "[responses": 7, "[anthropic": 7}),
]


@pytest.mark.parametrize("suite", _SUITES, ids=lambda suite: suite.program)
def test_a_suite_passes(tmp_path: Path, suite: _Suite) -> None:
    with agent_server(*_OPENAI_MODELS) as server:
        outcome = run_suite(
            suite.program,
            *suite.arguments,
            home=tmp_path,
            folder=suite.folder,
            SERVER=server.url,
            MODEL=MODEL,
            OPENAI_AGENTS_DISABLE_TRACING="1",
            TEST_API_BASE_URL=f"{server.url}/v1",
        )
    assert not outcome.failed, outcome.output
    for part, least in suite.least_passed.items():
        assert sum(part in name for name in outcome.passed) >= least, outcome.output
    for contract, is_anthropic in (("anthropic", True), ("openai", False)):
        asked = [request for request in server.received if ("/messages" in request.path) is is_anthropic]
        if asked:
            file = f"{suite.program}_{contract}.json"
            record(file, suite.program, _one_of_each_shape(asked), contract=contract, replaced={})


def _one_of_each_shape(received: Sequence[Received]) -> list[Received]:
    """Return the first request of each path with other members in its body."""
    first: dict[tuple[str, frozenset[str]], Received] = {}
    for request in received:
        if request.body is not None and request.status == 200:
            first.setdefault((request.path, frozenset(request.body)), request)
    return list(first.values())
