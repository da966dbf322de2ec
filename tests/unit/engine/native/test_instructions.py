"""One decision on instruction sets holds for torch's libraries, our choices and the compiler's flags."""

import json
import os
import shutil
import subprocess
import sys

import pytest
import torch

from engine.attention.native_chunks import can_attend
from engine.attention.native_decode import can_decode
from engine.native import instructions, library
from engine.native.bfloat16 import has_compiled_bfloat16, has_fast_bfloat16, has_onednn_bfloat16
from engine.native.compiler import Target, file_names
from engine.native.instructions import (
    X86_SETS,
    ArmInstructions,
    Instructions,
    arm_instructions_of,
    hides,
    isa_names,
    limit_libraries,
    usable_instructions,
    usable_label,
)
from engine.native.obstacles import find_obstacle
from tests.support.selection.instructions import COMPILER, needs_avx512, needs_compiler

CPU = torch.device("cpu")
ON_X86 = list(X86_SETS)
LIBRARIES = ("ATEN_CPU_CAPABILITY", "ONEDNN_MAX_CPU_ISA", "MKL_ENABLE_INSTRUCTIONS")


def test_every_kernel_that_this_run_could_have_is_there() -> None:
    """Tests of kernels skip by instruction and compiler alone: none does because its kernel is not built."""
    usable, has_compiler = usable_instructions(), COMPILER is not None
    assert (library.load_library() is not None) == has_compiler
    assert (find_obstacle(CPU, torch.float32) is None) == has_compiler
    assert can_decode(CPU, torch.float32) == can_attend(CPU, torch.float32) == has_compiler
    assert can_attend(CPU, torch.bfloat16) == (has_compiler and usable < Instructions.AMX)
    assert has_compiled_bfloat16() == (has_compiler and usable < Instructions.AMX)


@pytest.mark.parametrize("found", ON_X86)
@pytest.mark.parametrize("allowed", ON_X86)
def test_the_lesser_of_what_is_there_and_what_is_allowed_is_used(
    found: Instructions, allowed: Instructions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instructions, "_found", lambda: found)
    monkeypatch.setattr(instructions, "has_avx_vnni", lambda: True)
    monkeypatch.setenv("VERBATIM_ISA", allowed.label.upper())
    assert usable_instructions() == min(found, allowed)
    assert hides(Instructions.AVX512) == (allowed < Instructions.AVX512 <= found)
    monkeypatch.setenv("VERBATIM_ISA", "native")
    assert usable_instructions() == found


def test_a_processor_with_avx512_may_lack_avx_vnni(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instructions, "_found", lambda: Instructions.AVX512_VNNI)
    monkeypatch.setattr(instructions, "has_avx_vnni", lambda: False)
    monkeypatch.setenv("VERBATIM_ISA", "avx2_vnni")
    assert usable_instructions() is Instructions.AVX2
    assert "-mavxvnni" not in Target.of_this_processor().flags
    monkeypatch.setenv("VERBATIM_ISA", "native")
    assert usable_instructions() is Instructions.AVX512_VNNI


@pytest.mark.parametrize(
    ("found", "allowed", "takes_it", "is_fast"),
    [
        ("amx", "native", True, True),
        ("avx512_bf16", "native", True, True),
        ("avx512_bf16", "avx512_vnni", True, False),
        ("avx512_vnni", "native", True, False),
        ("avx512_bf16", "avx2", False, False),
        ("avx2", "native", True, True),  # newer processors, of which torch says so
    ],
)
def test_bfloat16_is_chosen_by_what_may_be_used(
    found: str, allowed: str, takes_it: bool, is_fast: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instructions, "_found", lambda: Instructions[found.upper()])
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: True)
    monkeypatch.setenv("VERBATIM_ISA", allowed)
    assert (has_onednn_bfloat16(), has_fast_bfloat16()) == (takes_it, is_fast)


@pytest.mark.parametrize(
    ("hwcap", "hwcap2", "expected"),
    [
        (0b11, 0, "armv8"),  # floating point and vectors
        (0b11 | 1 << 20, 0, "armv8"),  # products of bytes without fp16, which no processor has
        (0b11 | 1 << 10 | 1 << 20, 0, "armv8_dotprod"),
        (0b11 | 1 << 10 | 1 << 20, 1 << 13, "armv8_dotprod"),
        (0b11 | 1 << 10 | 1 << 20, 1 << 13 | 1 << 14, "armv8_bf16"),
        (0b11, 1 << 13 | 1 << 14, "armv8"),  # sets ascend: no library has a later one without the others
    ],
)
def test_a_processor_of_arm_is_recognised_by_what_linux_says_of_it(
    hwcap: int, hwcap2: int, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert arm_instructions_of(hwcap, hwcap2).label == expected
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    monkeypatch.setattr(instructions, "_auxiliary", {16: hwcap, 26: hwcap2}.__getitem__)
    monkeypatch.setenv("VERBATIM_ISA", "native")
    assert usable_label() == expected
    assert isa_names() == ("native", *(each.label for each in ArmInstructions))


def test_the_auxiliary_vector_is_read_as_the_c_library_does() -> None:
    assert instructions._auxiliary(6) == os.sysconf("SC_PAGESIZE")  # AT_PAGESZ


def test_torchs_libraries_are_limited_and_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    monkeypatch.setattr(instructions, "_replaced", {})
    monkeypatch.setenv("VERBATIM_ISA", "native")
    monkeypatch.setenv("ATEN_CPU_CAPABILITY", "avx512")
    for variable in LIBRARIES[1:]:
        monkeypatch.setenv(variable, "")
        monkeypatch.delenv(variable)
    limit_libraries("avx2")
    assert [os.environ[variable] for variable in LIBRARIES] == ["avx2", "AVX2", "AVX2"]
    assert os.environ["VERBATIM_ISA"] == "avx2"
    limit_libraries("native")
    assert [os.environ.get(variable) for variable in LIBRARIES] == ["avx512", None, None]


@pytest.mark.parametrize("isa", [each.label for each in X86_SETS])
def test_flags_hold_all_sets_up_to_the_one_that_is_used(isa: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instructions, "_found", lambda: Instructions.AMX)
    monkeypatch.setattr(instructions, "has_avx_vnni", lambda: True)
    monkeypatch.setenv("VERBATIM_ISA", isa)
    flags = Target.of_this_processor().flags
    expected = {
        "-msse4.2": Instructions.SSE4_2,
        "-mavx2": Instructions.AVX2,
        "-mavx512bw": Instructions.AVX512,
        "-mavx512vnni": Instructions.AVX512_VNNI,
        "-mavx512bf16": Instructions.AVX512_BF16,
    }
    assert {flag: flag in flags for flag in expected} == {
        flag: least <= usable_instructions() for flag, least in expected.items()
    }
    assert ("-mavxvnni" in flags) == (isa == "avx2_vnni"), "processors with later sets may lack it"
    assert "-march=native" not in flags


def test_each_set_has_a_library_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instructions, "_found", lambda: Instructions.AMX)
    monkeypatch.setattr(instructions, "has_avx_vnni", lambda: True)
    names = set()
    for isa in ("sse4_2", "avx2", "avx2_vnni", "avx512", "avx512_vnni", "avx512_bf16"):
        monkeypatch.setenv("VERBATIM_ISA", isa)
        names.update(file_names())
    assert len(names) == 6
    monkeypatch.setenv("VERBATIM_ISA", "amx")
    assert set(file_names()) < names, "with AMX, products are left to oneDNN or computed by lesser sets"


_WHAT_IS_USED = """
import json, torch
from engine.native.instructions import usable_instructions
from engine.native.library import load_library
capability = torch.backends.cpu.get_cpu_capability()
print(json.dumps([usable_instructions().label, capability, load_library()._name]))
"""


def _code_of(isa: str, expected: str) -> str:
    """Return the instructions of the library that a process limited to `isa` loads, which uses `expected`."""
    environment = {**os.environ, "VERBATIM_ISA": isa}
    run = subprocess.run(
        [sys.executable, "-c", _WHAT_IS_USED], env=environment, capture_output=True, text=True, check=True
    )
    label, capability, path = json.loads(run.stdout)
    assert (label, capability) == (expected, "AVX2")
    return subprocess.run(["objdump", "-d", path], capture_output=True, text=True, check=True).stdout


@pytest.mark.long  # it compiles all code once more
@needs_avx512
@pytest.mark.skipif(shutil.which("objdump") is None, reason="needs objdump")
def test_a_library_for_avx2_has_no_register_of_512_bits() -> None:
    code = _code_of("avx2", "avx2")
    assert "%ymm" in code and "%zmm" not in code and "vpdpbusd" not in code


@pytest.mark.long
@needs_compiler
@pytest.mark.skipif(shutil.which("objdump") is None, reason="needs objdump")
@pytest.mark.skipif(not instructions.has_avx_vnni(), reason="needs AVX-VNNI")
@pytest.mark.skipif(usable_instructions() < Instructions.AVX2_VNNI, reason="AVX-VNNI is hidden")
def test_a_library_for_avx_vnni_needs_no_avx512() -> None:
    code = _code_of("avx2_vnni", "avx2_vnni")
    assert "%zmm" not in code
    products = [line for line in code.splitlines() if "vpdpbusd" in line]
    assert products and all("{vex}" in line for line in products), "else it is the instruction of AVX-512"
