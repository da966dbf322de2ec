"""`verbatim conform` against our own server: nothing to tell. `make conform` runs it."""

import json
import os
import shutil
from pathlib import Path

import pytest

from engine.demo_model import DEMO_MODEL
from handlers.app import TABLES
from handlers.conform.cli import main
from tests.conftest import running_server
from tests.contract.headers import required_headers

WITHOUT_LIST = ("mindie",)  # contracts that do not say what models there are
ASKED = os.environ.get("VERBATIM_CONFORM", "")  # `all`, `agents`, or names of contracts


@pytest.mark.skipif(not ASKED, reason="takes minutes; `make conform` runs it")
@pytest.mark.timeout(600)
@pytest.mark.parametrize("contract", TABLES)
def test_our_server_keeps_every_contract(server_url: str, contract: str, tmp_path: Path) -> None:
    if ASKED != "all" and contract not in ASKED.split(","):
        pytest.skip("not asked for")
    options = ["--contract", contract, "--base-url", f"{server_url}/{contract}", "--report", str(tmp_path)]
    options += ["--model", "verbatim-demo"] if contract in WITHOUT_LIST else []
    for name, value in required_headers(contract).items():
        options += ["--header", f"{name}: {value}"]
    assert main([*options, "--max-examples", "5", "--timeout", "120"]) == 0


def test_one_operation_of_ours_has_no_fault(server_url: str, tmp_path: Path) -> None:
    options = ["--contract", "openai", "--base-url", f"{server_url}/openai/v1", "--report", str(tmp_path)]
    assert main([*options, "--only", "/v1/embeddings", "--only", "listModels", "--check", "examples"]) == 0


@pytest.fixture(scope="module")
def long_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the embedded model with room for agents' requests, longer than it was trained for."""
    folder = tmp_path_factory.mktemp("model") / "verbatim-demo"
    shutil.copytree(DEMO_MODEL, folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "max_position_embeddings": 32768}))
    return folder


@pytest.mark.skipif(ASKED not in ("all", "agents"), reason="takes minutes; `make conform` runs it")
@pytest.mark.timeout(900)
def test_programs_can_work_with_our_server(long_model: Path, tmp_path: Path) -> None:
    with running_server("--model", str(long_model)) as server:
        options = ["--profile", "agents", "--base-url", server.url, "--report", str(tmp_path)]
        assert main([*options, "--timeout", "120"]) == 0
    assert left_out(tmp_path) == []


@pytest.mark.timeout(300)
def test_a_benchmark_and_a_framework_can_work_with_our_server(server_url: str, tmp_path: Path) -> None:
    options = ["--profile", "agents", "--base-url", f"{server_url}/v1", "--report", str(tmp_path)]
    assert main([*options, "--only", "guidellm", "--only", "ai_sdk_chat", "--api-key", "secret"]) == 0
    assert left_out(tmp_path) == []
    assert "secret" not in (tmp_path / "report.html").read_text()


def left_out(report: Path) -> list[str]:
    """Return the notes of a report: what was not offered, or not judged."""
    results = json.loads((report / "report.json").read_text())["results"]
    return [result["note"] for result in results if result["note"]]
