"""Claude Code itself, in print mode, with its tools."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.apps.programs import CLAUDE
from tests.apps.scripted_server import MODEL, scripted_server

_LIMIT_S = 120


def run(url: str, home: Path, *arguments: str, **settings: str) -> str:
    """Return what Claude Code prints. It keeps its files in `home`, and talks to nobody but the server."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_AUTH_TOKEN": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        **settings,
    }
    command = [str(CLAUDE), "--model", MODEL, *arguments]
    ended = subprocess.run(
        command, cwd=home, env=environment, capture_output=True, text=True, timeout=_LIMIT_S, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"MAX_THINKING_TOKENS": "0"},
        {"ENABLE_TOOL_SEARCH": "true"},
        {"ENABLE_PROMPT_CACHING_1H": "1"},
    ],
)
def test_it_reads_a_file_by_its_tool(tmp_path: Path, settings: Mapping[str, str]) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("The word is marmalade.\n")
    with scripted_server("Read", "file_path") as (url, engine):
        said = run(url, tmp_path, "-p", f"Read the file {secret}.", **settings)
    assert "marmalade" in said
    assert len(engine.requests) >= 2
