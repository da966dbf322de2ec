"""The engine's soak, in a process in which no other test has opened files or started threads."""

import os
import subprocess
import sys

import pytest

from tests.soak import engine_soak


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="/proc shows what a process holds")
@pytest.mark.timeout(7200)
def test_nothing_hangs_and_nothing_is_left_behind() -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--verbose", "--capture=no", engine_soak.__file__],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    print(done.stdout)
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout
