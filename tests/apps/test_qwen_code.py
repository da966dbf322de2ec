"""Qwen Code itself, without a terminal."""

import json
from pathlib import Path

from tests.apps.programs import QWEN, run
from tests.apps.recorder import record
from tests.apps.scripted_server import MODEL, TASK, Call, scripted_server


def test_it_writes_a_file_and_runs_a_command(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    (home / ".qwen").mkdir(parents=True)
    project.mkdir()
    settings = {
        "general": {"enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
    }
    (home / ".qwen" / "settings.json").write_text(json.dumps(settings))
    word = project / "word.txt"
    calls = (
        Call("write_file", {"file_path": str(word), "content": "marmalade\n"}),
        Call("run_shell_command", {"command": f"cat {word}", "is_background": False}),
    )
    with scripted_server(*calls) as server:
        said = run(
            QWEN,
            home,
            project,
            *("--yolo", "--auth-type", "openai", "--prompt", TASK),
            OPENAI_API_KEY="none",
            OPENAI_BASE_URL=f"{server.url}/v1",
            OPENAI_MODEL=MODEL,
        )
    assert word.read_text() == "marmalade\n"
    assert "It says:" in said and "marmalade" in said
    assert not server.refused
    assert {request.path for request in server.received if request.body} == {"/v1/chat/completions"}
    replaced = {str(home): "/home/user", str(project): "/home/user/project", MODEL: "verbatim-demo"}
    record("qwen_code.json", "Qwen Code 0.24.4, qwen --prompt", server.received, replaced=replaced)
