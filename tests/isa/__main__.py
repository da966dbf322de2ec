"""Runs the tests of kernels once for each instruction set that this processor has, the others being hidden.

    python -m tests.isa            every set, all tests that depend on instructions
    python -m tests.isa --short    all sets but the processor's own, which `make test` runs; a few minutes
    python -m tests.isa --only avx2 -- -k int8

CPUID itself is masked where processor and kernel allow it, so that every library believes it has the older
processor. Elsewhere our own choices are limited, and torch's libraries by their own switches.
"""

import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from engine.native.instructions import Instructions, usable_instructions
from tests.isa.masking import can_mask_cpuid, masked_by_cpuid, masked_by_switches
from tests.support.selection.instructions import sets_here

_ALL = ["tests/parity", "tests/unit/engine", "tests/isa"]
SHORT = [
    "tests/parity/quantized/test_quantization_parity.py",
    *(
        f"tests/parity/kernels/test_{name}.py"
        for name in (
            "int8_linear",
            "grouped_linear",
            "native_attention",
            "chunk_attention",
            "native_layer",
            "layer_fusion",
            "decoder_stack",
        )
    ),
    *(
        f"tests/unit/engine/{name}.py"
        for name in (
            "native/test_instructions",
            "sampling/test_ranking",
            "sampling/test_noise",
            "model/loading/test_loader",
        )
    ),
    "tests/isa/test_served.py",
]
_AT_ONCE = 2  # processes, of one thread each


class Outcome(NamedTuple):
    most: Instructions
    status: int
    output: str


def main() -> int:
    """Returns 1 if any run failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.isa")
    parser.add_argument(
        "--short", action="store_true", help="fewer tests, and not of the processor's own set"
    )
    parser.add_argument("--only", metavar="SET", help="of this set alone")
    parser.add_argument("pytest", nargs="*", help="arguments of pytest, after --")
    given = parser.parse_args()
    own = usable_instructions()
    targets = list(reversed(sets_here()))
    if given.only:
        targets = [each for each in targets if each.label == given.only]
    elif given.short:
        targets = targets[1:]
    if not targets:
        parser.error(f"this processor has {own.label} at most")
    how = "CPUID masked" if can_mask_cpuid() else "limited by switches, as CPUID cannot be masked here"
    print(f"this processor: {own.label}; {', '.join(each.label for each in targets)}: {how}", flush=True)
    arguments = [*(SHORT if given.short else _ALL), *given.pytest]
    failed = []
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for outcome in pool.map(lambda most: _run(most, own, arguments), targets):
            print(f"\n== {outcome.most.label}\n{outcome.output}", flush=True)
            if outcome.status:
                failed.append(outcome.most.label)
    print(
        f"failed: {', '.join(failed)}" if failed else f"right on {', '.join(each.label for each in targets)}"
    )
    return bool(failed)


def _run(most: Instructions, own: Instructions, arguments: list[str]) -> Outcome:
    if most == own:
        environment = dict(os.environ)
    else:
        environment = masked_by_cpuid(most) if can_mask_cpuid() else masked_by_switches(most)
    command = [sys.executable, "-m", "pytest", "--quiet", "-p", "no:cacheprovider", *arguments]
    run = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return Outcome(most, run.returncode, run.stdout)


if __name__ == "__main__":
    sys.exit(main())
