"""Compiled functions compute on ARM, which qemu emulates, what they compute here.

Calls are recorded here with random numbers, and replayed by replay.cpp on an emulated processor of each set.
Here the functions are held to torch (tests/parity/kernels); there no Python is needed.
"""

import os
import subprocess
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import pytest
import torch

from engine.native import library
from engine.native.instructions import ArmInstructions, Instructions, arm_instructions_of
from engine.sampling.native_ranking import best_of_rows
from tests.aarch64 import tools
from tests.aarch64.calculations import CALCULATIONS, IN_PAIRS, Calculation, growing_batches
from tests.aarch64.recording import record, written_memory
from tests.support.selection.instructions import COMPILER

# Whole numbers are summed exactly, and those of groups in one order, so that every processor gives the same.
EXACT = ("right verbatim_int8_linear ", "right verbatim_grouped_linear ", "right verbatim_round_groups ")
# Threads that wait by spinning would hold up those that they wait for.
ENVIRONMENT = {**os.environ, "OMP_WAIT_POLICY": "passive"}

pytestmark = [
    pytest.mark.skipif(bool(tools.missing_tools()), reason=tools.missing_tools() or "all tools are there"),
    pytest.mark.timeout(900),
]
on_each_processor = pytest.mark.parametrize("instructions", ArmInstructions, ids=lambda each: each.label)


def replay(*command: str) -> list[str]:
    """Return the lines of the harness; they tell more than its exit status."""
    run = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT)
    assert run.returncode in (0, 1), run.stderr
    lines = run.stdout.splitlines()
    assert (run.returncode == 0) == all(line.startswith(("right ", "missing ")) for line in lines), lines
    return lines


def replay_emulated(instructions: ArmInstructions, directory: Path, *files: str) -> list[str]:
    assert tools.CROSS_COMPILER is not None
    harness = str(tools.harness(tools.CROSS_COMPILER, directory))
    return replay(*tools.emulated(instructions, harness, str(tools.library(instructions)), *files))


@pytest.fixture(scope="session")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("replay")


class Recorded(NamedTuple):
    """A calculation and the file of its calls."""

    calculation: Calculation
    path: str


@pytest.fixture(scope="session", params=CALCULATIONS)
def recorded(request: pytest.FixtureRequest, directory: Path) -> Recorded:
    calculation = CALCULATIONS[request.param]
    torch.manual_seed(1)
    path = directory / request.param.replace(" ", "_")
    # Processors with AMX leave what is of bfloat16 to oneDNN.
    with patch("engine.native.bfloat16.usable_instructions", lambda: Instructions.AVX512_BF16):
        num_calls = record(calculation.calculate, path, calculation.renamed)
    assert num_calls == calculation.num_calls
    return Recorded(calculation, str(path))


@on_each_processor
def test_every_call_gives_what_it_gives_here(
    recorded: Recorded, instructions: ArmInstructions, directory: Path
) -> None:
    lines = replay_emulated(instructions, directory, recorded.path)
    calculation = recorded.calculation
    assert len(lines) == calculation.num_calls
    is_there = instructions >= calculation.least
    lacking = frozenset[str]() if is_there else frozenset(calculation.renamed.values())
    assert not [line for line in lines if not line.startswith(_expected(line, lacking))]
    assert not [line for line in lines if line.startswith(EXACT) and not line.endswith(" 0.0e+00")]


def _expected(line: str, lacking: frozenset[str]) -> str:
    """Return how the line on a call begins; lacking: the functions that the library has not."""
    return "missing " if lacking.intersection(line.split()) else "right "


@on_each_processor
@pytest.mark.parametrize("renamed", [{}, IN_PAIRS], ids=["widened", "pairs"])
def test_a_row_is_multiplied_alike_whatever_else_is_in_its_batch(
    renamed: dict[str, str], instructions: ArmInstructions, directory: Path
) -> None:
    if renamed and instructions < ArmInstructions.ARMV8_BF16:
        pytest.skip(f"{instructions.label} multiplies no pairs")
    calls, written = directory / "batches", directory / "written"
    record(growing_batches, calls, renamed)
    lines = replay_emulated(instructions, directory, str(calls), str(written))
    assert not [line for line in lines if not line.startswith("right ")]
    _, *outputs = written_memory(written)  # the panels come first
    assert len(outputs) == len({len(output) for output in outputs}) > 20
    assert all(outputs[-1].startswith(output) for output in outputs)


def test_the_harness_finds_here_what_was_recorded_here(recorded: Recorded, directory: Path) -> None:
    """So a difference there is not the harness's."""
    calculation = recorded.calculation
    assert COMPILER is not None
    lines = replay(str(tools.harness(COMPILER, directory)), library.compiled()._name, recorded.path)
    assert len(lines) == calculation.num_calls
    if not calculation.renamed:
        assert all(line.startswith("right ") and line.endswith(" 0.0e+00") for line in lines), lines


def test_a_result_that_differs_is_found(directory: Path) -> None:
    assert COMPILER is not None
    path = directory / "spoilt"
    ids: list[torch.Tensor] = []
    record(lambda: ids.append(best_of_rows(torch.randn(3, 5000), 1)[1]), path)
    content, expected, other = path.read_bytes(), ids[0].numpy().tobytes(), (ids[0] + 1).numpy().tobytes()
    assert content.count(expected) == 1
    path.write_bytes(content.replace(expected, other))
    [line] = replay(str(tools.harness(COMPILER, directory)), library.compiled()._name, str(path))
    assert line.startswith("wrong numbers verbatim_best ")


@on_each_processor
def test_a_processor_is_recognised_by_what_linux_says_of_it(
    instructions: ArmInstructions, directory: Path
) -> None:
    assert tools.CROSS_COMPILER is not None
    command = tools.emulated(instructions, str(tools.harness(tools.CROSS_COMPILER, directory)), "--hwcaps")
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    hwcap, hwcap2 = map(int, said.split())
    assert arm_instructions_of(hwcap, hwcap2) is instructions
