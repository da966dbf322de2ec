"""`verbatim serve` from the project's own environment."""

import os
import subprocess
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    command = [
        os.environ["VERBATIM"],
        "serve",
        "--port",
        "0",
        "--max-total-tokens",
        "1024",
        "--dtype",
        "float32",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line)
            if line.strip().startswith("ready at "):
                yield line.split()[-1]
                return
        raise RuntimeError("the server ended before it was ready:\n" + "".join(said))
    finally:
        process.terminate()
        process.communicate(timeout=60)


@pytest.fixture(scope="session")
def base_url(server_url: str) -> str:
    return f"{server_url}/openai/v1"
