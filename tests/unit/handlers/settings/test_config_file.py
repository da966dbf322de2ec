"""The file of `--config`: below options and variables, and with the same names."""

from pathlib import Path

import pytest

from handlers.commands.launcher import launcher_parser, read_launcher_settings
from handlers.ray.options import replica_settings
from handlers.settings.command_line import read_settings
from handlers.settings.settings import Settings
from tests.unit.handlers.settings.test_command_line import parse


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VERBATIM_PORT", "PORT", "VERBATIM_CONFIG", "VERBATIM_HOST", "HOSTNAME"):
        monkeypatch.delenv(name, raising=False)


def written(folder: Path, text: str) -> str:
    path = folder / "verbatim.toml"
    path.write_text(text)
    return str(path)


def read(*arguments: str) -> Settings:
    return read_settings(parse(*arguments))


def test_values_are_those_of_the_options(tmp_path: Path) -> None:
    text = """
        model-id = "a/b"
        port = 9000
        max_total_tokens = 64
        model-alias = ["a", "b"]
        prefix-caching = false
    """
    settings = read("--config", written(tmp_path, text))
    assert (settings.model, settings.port, settings.max_total_tokens) == ("a/b", 9000, 64)
    assert (settings.model_alias, settings.prefix_caching) == (("a", "b"), False)


def test_an_option_wins_over_a_variable_and_that_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERBATIM_CONFIG", written(tmp_path, "port = 9000"))
    assert read().port == 9000
    monkeypatch.setenv("PORT", "9001")
    assert read().port == 9001
    assert read("--port", "9002").port == 9002


def test_the_file_wins_over_the_launchers_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERBATIM_CONFIG", written(tmp_path, "port = 9000"))
    settings = read_launcher_settings(vars(launcher_parser().parse_args([])))
    assert (settings.port, settings.host) == (9000, "0.0.0.0")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "max-totl-tokens = 3",
            "'max-totl-tokens' is no option of `verbatim serve`; did you mean max-total-tokens?",
        ),
        ('config = "other.toml"', "'config' is no option"),
        ("[server]\nport = 1", "'server' is no option of `verbatim serve`"),
        ("port = ", "Invalid value"),
        ('port = "many"', "port in the configuration file: Input should be a valid integer"),
        (
            "max-input-tokens = 9\nmax-total-tokens = 9",
            "--max-input-tokens must be less than --max-total-tokens",
        ),
    ],
)
def test_what_is_wrong_is_named_as_it_stands_in_the_file(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ValueError) as refused:
        read("--config", written(tmp_path, text))
    assert message in str(refused.value) and "\n" not in str(refused.value)


def test_all_unknown_keys_are_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(ValueError) as refused:
        read("--config", written(tmp_path, "a = 1\nb = 2"))
    assert [line.split()[2] for line in str(refused.value).splitlines()] == ["'a'", "'b'"]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="^--config: .*none.toml: No such file or directory$"):
        read("--config", str(tmp_path / "none.toml"))


def test_a_replica_on_another_node_gets_the_values_and_not_the_file(tmp_path: Path) -> None:
    sent = replica_settings(read("--config", written(tmp_path, "max-total-tokens = 64")))
    assert sent["max_total_tokens"] == 64 and "config" not in sent
