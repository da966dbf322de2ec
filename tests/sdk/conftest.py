"""`verbatim serve` from the project's own environment."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def server_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the URL of the server that all tests share; VERBATIM_URL names one that runs already."""
    if "VERBATIM_URL" in os.environ:
        yield os.environ["VERBATIM_URL"]
        return
    verbatim = Path(os.environ["VERBATIM"]).absolute()
    # The examples load an adapter, which the server's environment can write.
    adapters = tmp_path_factory.mktemp("adapters")
    write = [
        str(verbatim.with_name("python")),
        "-m",
        "tests.support.tiny_models.adapter_files",
        str(adapters / "poet-v1"),
    ]
    subprocess.run(write, cwd=PROJECT, check=True)
    options = ["--max-total-tokens", "1024", "--lora-root", str(adapters)]
    command = [str(verbatim), "serve", "--port", "0", *options]
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
