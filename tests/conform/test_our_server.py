"""`verbatim conform` against our own server: nothing to tell, of any contract. `make conform` runs it."""

import os
from pathlib import Path

import pytest

from handlers.app import TABLES
from handlers.conform.cli import main
from tests.contract.headers import required_headers

WITHOUT_LIST = ("mindie",)  # contracts that do not say what models there are
ASKED = os.environ.get("VERBATIM_CONFORM", "")  # `all`, or names of contracts


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
