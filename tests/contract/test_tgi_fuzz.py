"""Every operation of TGI's contract under generated requests, valid and not, over HTTP, on the real engine.

`VERBATIM_FUZZ_EXAMPLES` says how many random requests each operation gets beside the systematic ones.
"""

import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from generated.tgi.operations import OPERATIONS

HERE = Path(__file__).parent
FUZZ_DOCUMENT = HERE.parents[1] / "generated" / "tgi" / "fuzz.json"
NUM_EXAMPLES = os.environ.get("VERBATIM_FUZZ_EXAMPLES", "5")


@pytest.mark.fuzz
@pytest.mark.timeout(7200)
def test_no_request_makes_an_answer_that_the_document_does_not_declare(
    server_url: str, tmp_path: Path
) -> None:
    har = tmp_path / "requests.har"
    command: list[str | Path] = [
        *(Path(sys.executable).with_name("schemathesis"), "--config-file", HERE / "schemathesis.toml"),
        *(
            "run",
            FUZZ_DOCUMENT,
            "--url",
            f"{server_url}/tgi",
            "--max-examples",
            NUM_EXAMPLES,
            "--workers",
            "4",
        ),
        *("--request-timeout", "120", "--report", "har", "--report-har-path", har),
    ]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
    statuses = statuses_by_operation(har, f"{server_url}/tgi")
    for operation in OPERATIONS:
        seen = statuses[operation.method, operation.path]
        assert operation.status in seen, f"{operation.id} never succeeded"
        assert operation.body is None or 422 in seen, f"{operation.id} never refused a body"


def statuses_by_operation(har: Path, base_url: str) -> dict[tuple[str, str], set[int]]:
    """What the recorded requests were answered with."""
    statuses: dict[tuple[str, str], set[int]] = defaultdict(set)
    for entry in json.loads(har.read_bytes())["log"]["entries"]:
        request, response = entry["request"], entry["response"]
        path = request["url"].partition("?")[0].removeprefix(base_url)
        statuses[request["method"], path].add(response["status"])
    return statuses
