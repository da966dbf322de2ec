"""Errors of the command line have the usage of their own subcommand, and suggest what was meant."""

import subprocess
from pathlib import Path

import pytest

from handlers.cli import main
from handlers.settings.settings import Settings
from handlers.settings.topics import topics
from handlers.version import VERSION


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    return capsys.readouterr().err.splitlines()


def helped(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "suggestion"),
    [
        (["serve", "--max-total-token", "5"], "--max-total-tokens"),
        (["serve", "m", "--pory=80"], "--port"),
        (["serve", "--max-modle-len", "5"], "--max-model-len"),
        (["serve", "--no-prefix-cachin"], "--no-prefix-caching"),
        (["check", "--jsn"], "--json"),
        (["check", "--max-modle-len", "5"], "--max-model-len"),
        (["ray", "--replica", "5"], "--replicas"),
        (["keys", "new", "a", "--expire", "5"], "--expires"),
    ],
)
def test_an_unknown_option_is_an_error_of_its_subcommand_with_the_likely_one(
    capsys: pytest.CaptureFixture[str], arguments: list[str], suggestion: str
) -> None:
    lines = refused(capsys, *arguments)
    assert lines[0].startswith(f"usage: verbatim {arguments[0]}")
    assert lines[-1].endswith(f"did you mean {suggestion}?")
    assert len(lines) <= 8, "the usage is not the whole help"


def test_an_unknown_command_or_choice_is_an_error_with_the_likely_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert refused(capsys, "sevre")[-1].endswith("; for sevre, did you mean serve?")
    assert refused(capsys, "completion", "bsh")[-1].endswith("; for bsh, did you mean bash?")


def test_nothing_is_suggested_for_what_is_like_no_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "serve", "--zzz")[-1] == "verbatim serve: error: unrecognized arguments: --zzz"


def test_an_abbreviation_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert "unrecognized arguments: --quant;" in refused(capsys, "serve", "--quant", "int8")[-1]


def test_the_version_has_a_letter(capsys: pytest.CaptureFixture[str]) -> None:
    assert helped(capsys, "-V") == f"verbatim {VERSION}\n"


def test_the_first_page_of_help_fits_a_terminal_and_says_where_the_rest_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = helped(capsys, "serve", "--help").splitlines()
    assert len(lines) <= 70 and max(map(len, lines)) <= 80
    assert any(line.startswith("--help TOPIC") for line in lines)


def test_the_help_of_a_topic_has_its_options_with_their_variables(capsys: pytest.CaptureFixture[str]) -> None:
    shown = helped(capsys, "serve", "--help", "http")
    assert "--ssl-certfile" in shown and "VERBATIM_SSL_CERTFILE" in shown and "--dtype" not in shown
    assert "--gpu-memory-utilization" in helped(capsys, "serve", "--help", "vllm")


def test_the_help_of_all_topics_has_every_option_of_ours_and_of_others(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert {name for names in topics().values() for name in names} == {*Settings.model_fields}
    shown = helped(capsys, "serve", "-h", "all")
    for name in Settings.model_fields:
        assert f"--{name.replace('_', '-')}" in shown
    assert all(name in shown for name in ("--num-shard", "--max-model-len", "-ngl"))


def test_a_script_completes_options_in_bash(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "verbatim.bash"
    script.write_text(capsys.readouterr().out)
    program = f"""
        source {script}
        COMP_WORDS=(verbatim serve --max-total)
        COMP_CWORD=2
        _shtab_verbatim
        echo "${{COMPREPLY[@]}}"
    """
    completed = subprocess.run(["bash", "-c", program], capture_output=True, text=True, timeout=60)
    assert completed.stdout.split() == ["--max-total-tokens"], completed.stderr


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_have_a_script_too(capsys: pytest.CaptureFixture[str], shell: str) -> None:
    assert main(["completion", shell]) == 0
    assert "max-total-tokens" in capsys.readouterr().out
