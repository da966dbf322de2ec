"""A masked process finds what an older processor has: torch, its libraries, the compiler, our own choices."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.native.instructions import Instructions, usable_instructions
from tests.isa.__main__ import SHORT
from tests.isa.masking import IS_X86, can_mask_cpuid, masked_by_cpuid, masked_by_switches
from tests.support.selection.instructions import COMPILER, sets_here

_FINDINGS = """
import json, torch
from engine.native.instructions import usable_instructions
from engine.native.bfloat16 import has_onednn_bfloat16
print(json.dumps({
    "instructions": usable_instructions().label,
    "aten": torch.backends.cpu.get_cpu_capability(),
    "bfloat16": has_onednn_bfloat16(),
}))
"""
_ATEN = {
    Instructions.SSE4_2: "DEFAULT",
    Instructions.AVX2: "AVX2",
    Instructions.AVX2_VNNI: "AVX2",
    Instructions.AVX512: "AVX512",
}

_ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(not IS_X86, reason="needs Linux on x86")
needs_faults = pytest.mark.skipif(not can_mask_cpuid(), reason="needs CPUID faulting and a C++ compiler")


def test_the_files_of_the_short_form_are_there() -> None:
    assert [path for path in SHORT if not (_ROOT / path).is_file()] == []


def findings(environment: dict[str, str]) -> Any:
    run = subprocess.run(
        [sys.executable, "-c", _FINDINGS], env=environment, capture_output=True, text=True, check=True
    )
    return json.loads(run.stdout)


@pytest.mark.long
@pytest.mark.parametrize("most", _ATEN)
@pytest.mark.parametrize("mask", [pytest.param(masked_by_cpuid, marks=needs_faults), masked_by_switches])
def test_all_find_the_lesser_set(mask: Any, most: Instructions) -> None:
    if usable_instructions() <= most:
        pytest.skip(f"needs more than {most.label}; this run has {usable_instructions().label} at most")
    if most not in sets_here():
        pytest.skip(f"needs {most.label}")
    found = findings(mask(most))
    assert (found["instructions"], found["aten"]) == (most.label, _ATEN[most])
    assert found["bfloat16"] == (most is Instructions.AVX512)


@needs_faults
def test_the_compiler_finds_the_lesser_set() -> None:
    assert COMPILER is not None
    command = [COMPILER, "-march=native", "-dM", "-E", "-x", "c++", "/dev/null"]
    environment = masked_by_cpuid(Instructions.SSE4_2)
    macros = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert "__SSE4_2__" in macros and "__AVX" not in macros


_FAULTS = """
import ctypes, faulthandler
faulthandler.enable()
ctypes.string_at(0)
"""


@needs_faults
def test_a_fault_of_the_programs_own_is_still_its_own() -> None:
    run = subprocess.run(
        [sys.executable, "-c", _FAULTS],
        env=masked_by_cpuid(Instructions.AVX2),
        capture_output=True,
        text=True,
    )
    assert run.returncode == -11 and "Fatal Python error: Segmentation fault" in run.stderr
