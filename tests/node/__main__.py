"""Serves the embedded model while Node's tests run against it."""

import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import LIMITS, running_server


def main() -> int:
    """The exit status of Node's test runner."""
    with running_server(*LIMITS) as server:
        environment = os.environ | {"BASE_URL": f"{server.url}/openai/v1"}
        command = ["npm", "test", "--silent"]
        return subprocess.run(command, cwd=Path(__file__).parent, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
