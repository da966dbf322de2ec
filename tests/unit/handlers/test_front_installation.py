"""A front serves where the libraries of Verbatim's own engine are not installed (requirements/front.txt).

`make test-front` does the same with an installation that lacks them.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import httpx
import pytest

from engine.port.errors import LibrariesMissing
from handlers import engine_starter
from handlers.commands.serve import serve_as_given
from handlers.process.exit_status import ExitStatus
from handlers.settings.settings import Settings
from tests.conftest import COMMAND
from tests.support.servers.front_installation import LACKING, front_installation
from tests.unit.handlers.test_front_process import front
from tests.unit.requirements.requirements import ENGINE, read_requirements

SCHEMA: Final = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


@pytest.fixture
def for_fronts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that are started have what fronts need, and not what the own engine needs."""
    for name, value in front_installation(tmp_path).items():
        monkeypatch.setenv(name, value)


def test_the_libraries_that_are_hidden_are_the_extras() -> None:
    assert {*LACKING} - {"PIL"} < read_requirements(*ENGINE, "media").keys()


@pytest.mark.usefixtures("for_fronts")
def test_the_libraries_are_hidden_from_the_processes_of_these_tests() -> None:
    for name in LACKING:
        ran = subprocess.run([sys.executable, "-c", f"import {name}"], capture_output=True, text=True)
        assert "NotFoundError: No" in ran.stderr, name


@pytest.mark.long  # `make test-front` asks a real installation
@pytest.mark.usefixtures("for_fronts")
def test_a_front_answers_chats_tools_schemas_and_counts_without_the_own_engines_libraries() -> None:
    chat = {"model": "verbatim-demo", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 8}
    tool = {"type": "function", "function": {"name": "f", "parameters": SCHEMA}}
    schema = {"type": "json_schema", "json_schema": {"name": "s", "schema": SCHEMA}}
    bodies = {
        "/v1/chat/completions": {**chat, "tools": [tool], "tool_choice": "required", "stream": True},
        "/openai/v1/chat/completions": {**chat, "response_format": schema},
        "/v1/completions": {"model": "verbatim-demo", "prompt": "Hi", "max_tokens": 8},
        "/generate": {"inputs": "Hi", "parameters": {"max_new_tokens": 8}},
        "/tokenize": {"inputs": "Hi"},
        "/anthropic/v1/messages": chat,
    }
    headers = {"anthropic-version": "2023-06-01"}
    with front() as (server, _), httpx.Client(base_url=server.url, timeout=60) as client:
        answers = {path: client.post(path, json=body, headers=headers) for path, body in bodies.items()}
        seen = {path: client.get(path) for path in ("/health", "/metrics", "/info", "/docs", "/playground")}
    for path, answer in {**answers, **seen}.items():
        assert answer.status_code == 200, (path, answer.text)
    assert json.loads(answers["/v1/completions"].text)["usage"]["completion_tokens"] == 4


@pytest.mark.long
@pytest.mark.usefixtures("for_fronts")
def test_a_front_refuses_images_and_names_the_extra() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    messages = [{"role": "user", "content": [image]}]
    with front() as (server, _):
        answer = httpx.post(
            f"{server.url}/v1/chat/completions", json={"model": "verbatim-demo", "messages": messages}
        )
    assert answer.status_code == 400
    assert "this installation reads only text: pip install 'verbatim-server[media]'" in answer.text


@pytest.mark.usefixtures("for_fronts")
@pytest.mark.parametrize(
    "command", ["serve", *(pytest.param(name, marks=pytest.mark.long) for name in ("check", "build-kernels"))]
)
def test_a_command_of_the_own_engine_names_what_is_missing_and_how_it_is_installed(command: str) -> None:
    ran = subprocess.run([COMMAND, command], capture_output=True, text=True, timeout=60)
    assert ran.returncode == ExitStatus.FAILED
    assert ran.stderr == (
        "verbatim: error: Verbatim's own engine needs gguf, llguidance, numpy, torch, transformers, "
        "xgrammar, which an installation for fronts lacks; pip install 'verbatim-server[engine]' adds them, "
        "and --engine vllm or sglang does without (docs/vllm.md)\n"
    )


def test_tgis_launcher_and_rays_replicas_say_it_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(engine_starter, "missing", lambda extra: ["no_such_library"])
    assert serve_as_given({}, lambda given: Settings(**given)) == ExitStatus.FAILED
    assert "needs no_such_library, which" in capsys.readouterr().err
    with pytest.raises(LibrariesMissing, match="needs no_such_library"):
        engine_starter.engine_starter(Settings())
