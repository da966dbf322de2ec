"""Serves the embedded model while Node runs the TypeScript packages against it."""

import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import running_server

PACKAGES = Path("build/sdk/typescript").resolve()


def main() -> int:
    """The exit status of Node's test runner."""
    with running_server("--max-total-tokens", "1024") as server:
        environment = os.environ | {"BASE_URL": server.url, "PACKAGES": str(PACKAGES)}
        command = ["node", "--test", "."]
        return subprocess.run(command, cwd=Path(__file__).parent, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
