"""`verbatim conform` against our own server: nothing to tell. `make conform` runs it."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from handlers.commands.conform.cli import main
from handlers.commands.conform.contracts import contract_named
from handlers.composition import TABLES
from tests.conftest import running_server
from tests.support.samples.contracts import samples_of
from tests.support.tiny_models.long_demo import long_demo_model
from tests.support.token_servers.served_engines import Served
from verbatim_kit.conform.checks.names import OPTIONAL_CHECKS
from verbatim_kit.conform.document import endpoints

WITHOUT_LIST = ("mindie",)  # contracts that do not say what models there are
ASKED = os.environ.get("VERBATIM_CONFORM", "")  # `all`, `agents`, or names of contracts


@pytest.mark.skipif(not ASKED, reason="takes minutes; `make conform` runs it")
@pytest.mark.timeout(600)
@pytest.mark.parametrize("contract", TABLES)
def test_our_server_keeps_every_contract(served: Served, contract: str, tmp_path: Path) -> None:
    if ASKED != "all" and contract not in ASKED.split(","):
        pytest.skip("not asked for")
    options = [part for check in checks_of(served) for part in ("--check", check)]
    options += ["--report", str(tmp_path), "--max-examples", "5", "--timeout", "120"]
    assert main([*options_of(served, contract), *options]) == 0


def options_of(served: Served, contract: str) -> list[str]:
    """Return the options that name the server and its contract, without operations that its engine lacks."""
    options = ["--contract", contract, "--base-url", f"{served.url}/{contract}"]
    options += ["--model", "verbatim-demo"] if contract in WITHOUT_LIST else []
    for name, value in samples_of(contract).headers.items():
        options += ["--header", f"{name}: {value}"]
    if not served.is_own:  # whose adapters are in the server that computes
        operations = endpoints(contract_named(contract).document)
        options += [part for one in operations if one.is_stateful for part in ("--skip", one.id)]
    return options + ([] if served.capabilities.embeddings else ["--skip", "createEmbedding"])


def checks_of(served: Served) -> Sequence[str]:
    """Bounds are of fields that the document allows, and an engine that lacks one refuses it.

    The short form leaves generated requests to `make fuzz SHORT=1`, which sends as many to the same servers.
    """
    excluded = {"bounds"} if served.capabilities.missing else set()
    if ASKED != "all":
        excluded.add("fuzz")
    return [check for check in OPTIONAL_CHECKS if check not in excluded]


@pytest.mark.parametrize("operation", ["/v1/embeddings", "/v1/completions"])
def test_one_operation_of_ours_has_no_fault(served: Served, operation: str, tmp_path: Path) -> None:
    if operation == "/v1/embeddings" and not served.capabilities.embeddings:
        pytest.skip("the engine makes no embeddings")
    options = ["--contract", "openai", "--base-url", f"{served.url}/openai/v1", "--report", str(tmp_path)]
    options += ["--only", operation, "--only", "listModels"]
    assert main([*options, "--check", "examples", "--check", "streams"]) == 0


@pytest.mark.skipif(ASKED not in ("all", "agents"), reason="takes minutes; `make conform` runs it")
@pytest.mark.timeout(900)
def test_programs_can_work_with_our_server(tmp_path: Path) -> None:
    with running_server("--model", str(long_demo_model(tmp_path))) as server:
        options = ["--profile", "agents", "--base-url", server.url, "--report", str(tmp_path)]
        assert main([*options, "--timeout", "120"]) == 0
    assert left_out(tmp_path) == []


@pytest.mark.timeout(300)
def test_a_benchmark_and_a_framework_can_work_with_our_server(served: Served, tmp_path: Path) -> None:
    options = ["--profile", "agents", "--base-url", f"{served.url}/v1", "--report", str(tmp_path)]
    assert main([*options, "--only", "guidellm", "--only", "ai_sdk_chat", "--api-key", "secret"]) == 0
    assert left_out(tmp_path) == []
    assert "secret" not in (tmp_path / "report.html").read_text()


def left_out(report: Path) -> list[str]:
    """Return the notes of a report: what was not offered, or not judged."""
    results = json.loads((report / "report.json").read_text())["results"]
    return [result["note"] for result in results if result["note"]]
