"""The command `verbatim-kit` passes what follows a command's name to it, and returns its exit status."""

import json
from pathlib import Path

import pytest

from verbatim_kit.cli import main


@pytest.mark.parametrize("command", ["generate", "breaking", "drift", "conform", "lint"])
def test_each_command_has_its_own_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main([command, "--help"])
    assert capsys.readouterr().out.startswith(f"usage: verbatim-kit {command} ")


def test_a_command_gets_its_options_and_gives_its_status(tmp_path: Path) -> None:
    assert main(["lint", "--root", str(tmp_path)]) == 0
    folder = tmp_path / "generated" / "pets"
    folder.mkdir(parents=True)
    operation = {"responses": {"200": {"description": "Done."}}}
    (folder / "openapi.json").write_text(json.dumps({"paths": {"/pets": {"get": operation}}}))
    assert main(["lint", "--root", str(tmp_path)]) == 1


def test_another_command_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["serve"])
    assert "invalid choice: 'serve'" in capsys.readouterr().err
