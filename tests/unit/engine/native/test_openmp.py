"""OpenMP's threads spin as briefly as the engine wants, unless the environment says otherwise."""

import os
import re
import subprocess
import sys

import pytest

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


def test_the_environment_has_the_last_word() -> None:
    assert told_spins({"GOMP_SPINCOUNT": "7"}) == "7"
    assert told_spins({"OMP_WAIT_POLICY": "passive"}) == "0"
