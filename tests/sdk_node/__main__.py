"""Serves the embedded model while Node runs the TypeScript package against it."""

import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import running_server
from tests.support.tiny_models.adapter_files import adapters_of_examples

PACKAGE = Path("build/sdk/typescript").resolve()
PETS = Path("build/sdk/typescript-of-pets").resolve()


def main() -> int:
    """The exit status of Node's test runner."""
    options = ("--max-total-tokens", "1024")
    with adapters_of_examples() as adapters, running_server(*options, "--lora-root", adapters) as server:
        environment = os.environ | {"BASE_URL": server.url, "PACKAGE": str(PACKAGE), "PETS": str(PETS)}
        command = ["node", "--test", "."]
        return subprocess.run(command, cwd=Path(__file__).parent, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
