"""The command that writes the coverage table: `python -m tests.parity.coverage docs/models.md`."""

import argparse
import logging
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import transformers

import tests.parity.conftest  # noqa: F401  # declares what the import of torchvision needs
from tests.parity.coverage.types import ALL
from tests.parity.coverage.verdict import Outcome, Verdict, judge

_HEAD = """# Models

Each of the {total} model types that transformers {version} has a causal language model for and that
continue texts, tried by `make coverage-table`: a tiny model with random weights is served in float32,
its prompts arriving while others decode, in chunks, and once more from the prefix cache. {served} are
served with exactly the tokens of transformers' greedy `generate`, {refused} are refused at load with
the reason, and {faults} are served wrongly. {untried} were not tried, since no tiny model of them could
be made here.

Only texts are tried here. [Models that read images, sounds and videos](media-models.md) are tried with
these by tests of their own; most are no causal language models to transformers, and so not in this
table. [Models that transcribe](speech-models.md) continue no texts.

| model type | outcome | how, or why not |
|---|---|---|
"""


def main() -> int:
    """Write the table; return 1 if a type is served wrongly or fails to start without a refusal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Path)
    table: Path = parser.parse_args().table
    logs: Any = transformers.logging  # transformers does not annotate it
    logs.set_verbosity_error()
    logging.disable(logging.CRITICAL)
    verdicts = [_judge(model_type) for model_type in ALL]
    counts = Counter(verdict.outcome for verdict in verdicts)
    head = _HEAD.format(
        total=len(ALL),
        version=transformers.__version__,
        served=counts[Outcome.SERVED],
        refused=counts[Outcome.REFUSED],
        faults=counts[Outcome.WRONG] + counts[Outcome.BROKEN] or "none",
        untried=counts[Outcome.UNTRIED],
    )
    table.write_text(head + "".join(map(_row, verdicts)))
    faults = [verdict for verdict in verdicts if verdict.outcome in (Outcome.WRONG, Outcome.BROKEN)]
    for fault in faults:
        print(f"{fault.model_type} is {fault.outcome.value}: {fault.detail}", file=sys.stderr)
    return 1 if faults else 0


def _judge(model_type: str) -> Verdict:
    with TemporaryDirectory() as directory:
        verdict = judge(model_type, Path(directory))
    print(f"{verdict.outcome.value:8} {model_type}", flush=True)
    return verdict


def _row(verdict: Verdict) -> str:
    detail = verdict.detail.replace("|", "\\|")
    return f"| `{verdict.model_type}` | {verdict.outcome.value} | {detail} |\n"


if __name__ == "__main__":
    sys.exit(main())
