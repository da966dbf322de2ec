"""The programs that `make test-apps` installs, and how they are run."""

import os
import subprocess
from pathlib import Path
from typing import Final

SMALL: Final = Path(__file__).parent / "node"
AGENTS: Final = Path(__file__).parent / "agents"

CLAUDE: Final = AGENTS / "node_modules" / "@anthropic-ai" / "claude-code" / "bin" / "claude.exe"
CODEX: Final = AGENTS / "node_modules" / ".bin" / "codex"
OPENCODE: Final = AGENTS / "node_modules" / "opencode-linux-x64-baseline" / "bin" / "opencode"
QWEN: Final = SMALL / "node_modules" / ".bin" / "qwen"

LIMIT_S: Final = 600
"""For one run of a program: most take seconds, some two minutes on a busy machine."""
_NOBODY: Final = (
    "http://127.0.0.1:9"  # a port where nobody listens, so that what goes through it fails at once
)


def run(program: Path, home: Path, project: Path, *arguments: str, **settings: str) -> str:
    """Return what the program prints. It keeps its files in `home`, and reaches nobody but this machine.

    project: the folder that it is started in. settings: further environment variables.
    """
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "HTTP_PROXY": _NOBODY,
        "HTTPS_PROXY": _NOBODY,
        "NO_PROXY": "127.0.0.1,localhost",
        **settings,
    }
    ended = subprocess.run(
        [str(program), *arguments],
        cwd=project,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout
