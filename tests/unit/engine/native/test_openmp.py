"""OpenMP's threads spin as briefly as the engine wants, unless the environment says otherwise."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from engine.native.library import load_library
from tests.support.selection.instructions import needs_compiler

_NAMES = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"}


def told_spins(given: dict[str, str]) -> str:
    """Return libgomp's report of its spins after the engine's first module has loaded torch."""
    environment = {name: value for name, value in os.environ.items() if name not in _NAMES}
    environment |= given | {"OMP_DISPLAY_ENV": "verbose"}
    command = [sys.executable, "-c", "import engine.native.cpus"]
    told = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stderr
    found = re.search(r"GOMP_SPINCOUNT = '(\d+)'", told)
    if found is None:
        pytest.skip("torch brings another OpenMP than libgomp")
    return found[1]


def test_they_spin_briefly() -> None:
    assert told_spins({}) == "1000"


@pytest.mark.long
def test_the_environment_has_the_last_word() -> None:
    assert told_spins({"GOMP_SPINCOUNT": "7"}) == "7"
    assert told_spins({"OMP_WAIT_POLICY": "passive"}) == "0"


_SHARES = """
import ctypes, sys
from engine.native.openmp import share_openmp
ctypes.CDLL(sys.argv[1])
try:
    ctypes.CDLL(sys.argv[2])
except OSError as error:
    print("undefined symbol" in str(error))
share_openmp()
print(ctypes.CDLL(sys.argv[2]).verbatim_norm is not None)
"""


@needs_compiler
def test_a_library_that_torch_keeps_to_itself_is_shared() -> None:
    """So do torch's wheels for aarch64. Without torch in the process, nothing else shares it."""
    paths = [line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "gomp" in line]
    library = load_library()
    if not paths or library is None:
        pytest.skip("torch brings another OpenMP than libgomp")
    command = [sys.executable, "-c", _SHARES, paths[0], library._name]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    assert run.stdout.split() == ["True", "True"]
