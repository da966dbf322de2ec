"""A session whose tests of kernels were all skipped does not pass for one that ran them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.selection.instructions import needs_compiler
from tests.support.selection.kernel_gate import REQUIRED, Tally, complaints_here, could_run

ZEN_4 = "processor : 0\nflags : fpu sse4_2 avx2 avx512f avx512_vnni avx512_bf16\n"


def test_all_skipped_is_complained_of_only_where_they_could_have_run() -> None:
    tally = Tally()
    tally.skipped.update({"avx512": 3, "avx512_vnni": 2, "avx512_bf16": 1})
    tally.ran["avx512_vnni"] = 1
    [complaint] = tally.complaints({"avx512": True, "avx512_vnni": True, "avx512_bf16": False})
    assert complaint.startswith("all 3 tests that need avx512 were skipped")
    assert Tally().complaints({"avx512": True}) == []


@pytest.mark.parametrize(
    ("cpuinfo", "environment", "expected"),
    [
        (ZEN_4, {}, ["sse4_2", "avx512", "avx512_vnni", "avx512_bf16"]),
        (ZEN_4, {"VERBATIM_ISA": "native"}, ["sse4_2", "avx512", "avx512_vnni", "avx512_bf16"]),
        (ZEN_4, {"VERBATIM_ISA": "AVX512"}, ["sse4_2", "avx512"]),
        (ZEN_4, {"VERBATIM_CPUID_MASK": "avx2"}, ["sse4_2"]),
        (ZEN_4.replace("avx2", "avx2 amx_tile"), {}, ["sse4_2", "avx512", "avx512_vnni"]),
        ("processor : 0\n", {}, []),
    ],
)
def test_what_could_run_is_read_from_the_processor(
    cpuinfo: str, environment: dict[str, str], expected: list[str]
) -> None:
    assert [label for label, can in could_run(cpuinfo, environment).items() if can] == expected


@needs_compiler
def test_a_session_that_skips_all_fails_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a compiler all are skipped, on a processor that could run them; CI alone complains."""
    test = "tests/unit/engine/native/test_layouts.py"
    environment = {
        **os.environ,
        REQUIRED: "1",
        "CXX": "no-such-compiler",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # those that take seconds to import
    }
    plugins = [part for name in ("pytest_asyncio.plugin", "pytest_timeout") for part in ("-p", name)]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugins, test]
    root = Path(__file__).parents[3]
    run = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    assert run.returncode == 1, run.stdout
    assert "tests that need sse4_2 were skipped, on a machine that has it" in run.stdout
    skipped = Tally()
    skipped.skipped["sse4_2"] = 1
    monkeypatch.setenv(REQUIRED, "1")
    assert complaints_here(skipped)
    monkeypatch.delenv(REQUIRED)
    assert complaints_here(skipped) == []
