"""Every operation of every contract under generated requests, valid and not, over HTTP, on the real engine.

`VERBATIM_FUZZ_EXAMPLES` says how many random requests each operation gets beside the systematic ones.
"""

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest

from generated.operation import Operation
from handlers.app import TABLES

from .fuzzing import FUZZING, Fuzzing, configuration, with_model, with_parameters
from .paths import is_of

GENERATED = Path(__file__).parents[2] / "generated"
NUM_EXAMPLES = os.environ.get("VERBATIM_FUZZ_EXAMPLES", "5")

# Hypothesis calls ast.parse, which threads could not call at the same time before CPython 3.11.9 (gh-106905).
NUM_WORKERS = "4" if sys.version_info >= (3, 11, 9) else "1"

Statuses = Mapping[tuple[str, str], set[int]]


@pytest.mark.fuzz
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("contract", TABLES)
def test_no_request_makes_an_answer_that_the_document_does_not_declare(
    server_url: str, tmp_path: Path, contract: str
) -> None:
    har = tmp_path / "requests.har"
    run = subprocess.run(
        command(contract, f"{server_url}/{contract}", tmp_path, har),
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    seen = statuses_by_path(har, f"{server_url}/{contract}")
    for operation in TABLES[contract]:
        statuses = statuses_of(operation, seen)
        assert operation.status in statuses, f"{operation.id} never succeeded"
        assert operation.body is None or operation.validation_status in statuses, (
            f"{operation.id} never refused a body"
        )


def command(contract: str, url: str, folder: Path, har: Path) -> list[str | Path]:
    fuzzing = FUZZING.get(contract, Fuzzing())
    document = json.loads((GENERATED / contract / "fuzz.json").read_bytes())
    if fuzzing.model is not None:
        document = with_model(document, fuzzing.model)
    document = with_parameters(document, fuzzing.parameters)
    (folder / "document.json").write_text(json.dumps(document))
    (folder / "schemathesis.toml").write_text(configuration(fuzzing, TABLES[contract]))
    return [
        *(Path(sys.executable).with_name("schemathesis"), "--config-file", folder / "schemathesis.toml"),
        *("run", folder / "document.json", "--url", url),
        *("--max-examples", NUM_EXAMPLES, "--workers", NUM_WORKERS, "--request-timeout", "120"),
        *("--report", "har", "--report-har-path", har),
    ]


def statuses_by_path(har: Path, base_url: str) -> Statuses:
    """What the recorded requests were answered with, by method and path."""
    statuses: dict[tuple[str, str], set[int]] = defaultdict(set)
    for entry in json.loads(har.read_bytes())["log"]["entries"]:
        request, response = entry["request"], entry["response"]
        path = request["url"].partition("?")[0].removeprefix(base_url)
        statuses[request["method"], path].add(response["status"])
    return statuses


def statuses_of(operation: Operation, seen: Statuses) -> set[int]:
    return {status for request, found in seen.items() if is_of(operation, *request) for status in found}
