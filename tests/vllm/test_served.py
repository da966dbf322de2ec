"""Our server over a real vLLM server: how it ends, and what `verbatim conform` finds."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from handlers.commands.conform.cli import main
from handlers.composition import TABLES
from tests.conform.test_our_server import left_out, options_of
from tests.conftest import running_server
from tests.contract.test_lifetime import (
    test_a_client_that_goes_frees_its_sequence_and_its_cache_at_once,
    test_a_server_told_to_stop_finishes_what_runs_and_takes_no_more,
    test_after_the_grace_period_a_stream_ends_with_an_error_and_the_server_in_peace,
)
from tests.support.token_servers.fronts import api_of
from tests.support.token_servers.served_engines import Served

__all__ = (
    "test_a_client_that_goes_frees_its_sequence_and_its_cache_at_once",
    "test_a_server_told_to_stop_finishes_what_runs_and_takes_no_more",
    "test_after_the_grace_period_a_stream_ends_with_an_error_and_the_server_in_peace",
)

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def served(url: str, model: Path) -> Iterator[Served]:
    options = (
        "--model",
        str(model),
        "--served-model-name",
        "verbatim-demo",
        "--engine",
        "vllm",
        "--engine-url",
        url,
    )
    with running_server(*options) as server:
        yield Served("vllm", server.url, options, api_of("vllm").capabilities, server.url)


@pytest.mark.parametrize("contract", TABLES)
def test_conform_finds_no_fault(served: Served, contract: str, tmp_path: Path) -> None:
    options = options_of(served, contract)
    checks = ["--check", "examples", "--check", "streams"]
    assert main([*options, *checks, "--report", str(tmp_path), "--timeout", "120"]) == 0


def test_programs_can_work_with_it(served: Served, tmp_path: Path) -> None:
    options = ["--profile", "agents", "--base-url", served.url, "--report", str(tmp_path)]
    assert main([*options, "--timeout", "120"]) == 0
    assert left_out(tmp_path) == []
