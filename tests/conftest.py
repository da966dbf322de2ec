"""The server as its users run it."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).with_name("verbatim")


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """`verbatim serve` with the embedded model, on a free port, in a process of its own."""
    process = subprocess.Popen(
        [COMMAND, "serve", "--port", "0", "--max-batch-total-tokens", "32768"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield _url(process)
    finally:
        process.terminate()
        process.communicate(timeout=60)


def _url(process: "subprocess.Popen[str]") -> str:
    """Waits until the server says where it is."""
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line)
        if line.strip().startswith("ready at "):
            return line.split()[-1]
    raise RuntimeError("the server ended before it was ready:\n" + "".join(said))
