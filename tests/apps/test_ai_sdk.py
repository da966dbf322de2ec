"""Vercel's AI SDK: its Anthropic provider, its OpenAI provider, and the one for compatible servers."""

import os
import subprocess
from pathlib import Path

from tests.apps.programs import LIMIT_S, SMALL
from tests.apps.scripted_server import MODEL, TASK, Call, scripted_server


def test_its_providers_take_every_answer(tmp_path: Path) -> None:
    file = tmp_path / "secret.txt"
    file.write_text("The word is marmalade.\n")
    with scripted_server(Call("Read", {"file_path": str(file)})) as server:
        environment = os.environ | {"BASE_URL": server.url, "MODEL": MODEL, "TASK": TASK}
        command = ["node", "--test", "--test-reporter=tap", "ai_sdk.test.mjs"]
        ended = subprocess.run(
            command, cwd=SMALL, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert {request.body["model"] for request in server.refused} == {"another"}  # which a test asks for
