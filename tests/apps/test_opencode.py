"""opencode itself, without a terminal, by each of the APIs that it can speak."""

import json
from pathlib import Path

import pytest

from tests.apps.programs import OPENCODE, run
from tests.apps.recorder import record
from tests.apps.scripted_server import MODEL, TASK, Call, scripted_server


@pytest.mark.parametrize(
    ("package", "contract", "path", "file"),
    [
        ("@ai-sdk/openai-compatible", "openai", "/v1/chat/completions", "opencode_chat.json"),
        ("@ai-sdk/openai", "openai", "/v1/responses", "opencode_responses.json"),
        ("@ai-sdk/anthropic", "anthropic", "/v1/messages", "opencode_messages.json"),
    ],
)
def test_it_writes_a_file_and_runs_a_command(
    tmp_path: Path, package: str, contract: str, path: str, file: str
) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    word = project / "word.txt"
    calls = (
        Call("write", {"filePath": str(word), "content": "marmalade\n"}),
        Call("bash", {"command": f"cat {word}", "description": "Shows the word"}),
    )
    with scripted_server(*calls) as server:
        provider = {
            "npm": package,
            "name": "Verbatim",
            "options": {"baseURL": f"{server.url}/v1", "apiKey": "none"},
            "models": {
                MODEL: {"name": MODEL, "tool_call": True, "limit": {"context": 65536, "output": 8192}}
            },
        }
        settings = {
            "autoupdate": False,
            "share": "disabled",
            "model": f"verbatim/{MODEL}",
            "small_model": f"verbatim/{MODEL}",
            "permission": {"edit": "allow", "bash": "allow"},
            "provider": {"verbatim": provider},
        }
        said = run(
            OPENCODE,
            home,
            project,
            "run",
            TASK,
            OPENCODE_CONFIG_CONTENT=json.dumps(settings),
            OPENCODE_DISABLE_MODELS_FETCH="1",
            OPENCODE_DISABLE_AUTOUPDATE="1",
            OPENCODE_DISABLE_DEFAULT_PLUGINS="1",
            OPENCODE_DISABLE_LSP_DOWNLOAD="1",
        )
    assert word.read_text() == "marmalade\n"
    assert "It says:" in said and "marmalade" in said
    assert not server.refused
    assert {request.path for request in server.received if request.body} == {path}
    replaced = {str(home): "/home/user", str(project): "/home/user/project", MODEL: "verbatim-demo"}
    program = f"opencode 1.18.33, opencode run with {package}"
    record(file, program, server.received, contract=contract, replaced=replaced)
