"""Vercel's AI SDK: its Anthropic provider, its OpenAI provider, and the one for compatible servers."""

import os
import subprocess
from pathlib import Path

from tests.apps.programs import NODE
from tests.apps.scripted_server import MODEL, scripted_server

_LIMIT_S = 120


def test_its_providers_take_every_answer(tmp_path: Path) -> None:
    file = tmp_path / "secret.txt"
    file.write_text("The word is marmalade.\n")
    with scripted_server("Read", "file_path") as (url, _):
        environment = os.environ | {"BASE_URL": url, "MODEL": MODEL, "FILE": str(file)}
        command = ["node", "--test", "--test-reporter=tap", "ai_sdk.test.mjs"]
        ended = subprocess.run(
            command, cwd=NODE, env=environment, capture_output=True, text=True, timeout=_LIMIT_S, check=False
        )
    assert ended.returncode == 0, ended.stdout + ended.stderr
