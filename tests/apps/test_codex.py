"""Codex CLI itself, without a terminal: `codex exec`, new and resumed."""

from pathlib import Path

from tests.apps.programs import CODEX, run
from tests.apps.recorder import record
from tests.apps.scripted_server import MODEL, TASK, Call, scripted_server

_CONFIG = """\
model = "{model}"
model_provider = "verbatim"
model_context_window = 65536
web_search = "disabled"
check_for_update_on_startup = false
analytics = {{ enabled = false }}

[model_providers.verbatim]
name = "Verbatim"
base_url = "{url}/openai/v1"
wire_api = "responses"
"""


def test_it_runs_a_command_and_goes_on_later(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    settings = home / ".codex"
    settings.mkdir(parents=True)
    project.mkdir()
    options = ("--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
    with scripted_server(Call("exec_command", {"cmd": "echo marmalade | tee word.txt"})) as server:
        (settings / "config.toml").write_text(_CONFIG.format(model=MODEL, url=server.url))
        said = run(CODEX, home, project, "exec", *options, TASK)
        again = run(CODEX, home, project, "exec", "resume", "--last", *options, "And again?")
    assert (project / "word.txt").read_text() == "marmalade\n"
    assert "It says:" in said and "marmalade" in said
    assert "It says:" in again
    assert not server.refused
    assert {request.path for request in server.received if request.body} == {"/openai/v1/responses"}
    replaced = {str(home): "/home/user", str(project): "/home/user/project", MODEL: "verbatim-demo"}
    record("codex_exec.json", "Codex CLI 0.169.0, codex exec", server.received, replaced=replaced)
