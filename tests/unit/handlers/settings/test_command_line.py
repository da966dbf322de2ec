import argparse
from pathlib import Path

import pytest

from handlers.settings.command_line import (
    add_settings,
    options,
    read_settings,
    settings_table,
)
from handlers.settings.settings import Settings


def parse(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_settings(parser)
    return parser.parse_args(arguments)


def test_every_setting_has_an_option_and_a_meaning() -> None:
    listed = list(options())
    assert [option.name for option in listed] == list(Settings.model_fields)
    assert all(option.help and option.help.splitlines() == [option.help] for option in listed)


def test_an_option_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERBATIM_PORT", "4000")
    assert read_settings(parse("--port", "5000")).port == 5000


def test_the_model_is_the_argument() -> None:
    assert read_settings(parse("some/model")).model == "some/model"


def test_the_released_servers_options_are_understood() -> None:
    settings = read_settings(parse("--model-id", "m", "--hostname", "::1", "--max-input-length", "5"))
    assert (settings.model, settings.host, settings.max_input_tokens) == ("m", "::1", 5)


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ((), ("tgi", "dummy")),
        (("--model-alias", "a, b"), ("a", "b")),
        (("--model-alias", "a", "--model-alias", "b,c"), ("a", "b", "c")),
        (("--model-alias", ""), ()),
    ],
)
def test_a_list_is_given_with_commas_or_by_repeating_its_option(
    given: tuple[str, ...], names: tuple[str, ...]
) -> None:
    assert read_settings(parse(*given)).model_alias == names


def test_a_wrong_option_is_named_as_it_was_given() -> None:
    with pytest.raises(ValueError, match="^--port: Input should be a valid integer"):
        read_settings(parse("--port", "many"))


@pytest.mark.parametrize("variable", ["VERBATIM_PORT", "PORT"])
def test_a_wrong_variable_is_named_as_it_was_given(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.delenv("VERBATIM_PORT", raising=False)
    monkeypatch.setenv(variable, "many")
    with pytest.raises(ValueError, match=f"^{variable}: Input should be a valid integer"):
        read_settings(parse())


def test_a_wrong_option_of_another_program_is_named_as_it_was_given() -> None:
    with pytest.raises(ValueError, match="^--max-model-len: Input should be a valid integer"):
        read_settings(parse("--max-model-len", "long"))


@pytest.mark.parametrize("limit", ["--max-total-tokens", "--max-model-len"])
def test_a_rule_between_settings_names_the_options(limit: str) -> None:
    with pytest.raises(ValueError, match=f"^--max-input-tokens must be less than {limit}$"):
        read_settings(parse("--max-input-tokens", "9", limit, "9"))


def test_a_mistyped_embedded_model_is_suggested_unless_there_is_such_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(
        ValueError, match="^--model: there is no 'verbatim-dmeo'; did you mean .* verbatim-demo"
    ):
        read_settings(parse("verbatim-dmeo"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "verbatim-dmeo").mkdir()
    assert read_settings(parse("verbatim-dmeo")).model == "verbatim-dmeo"


def test_the_table_has_a_row_for_every_setting() -> None:
    assert len(settings_table().splitlines()) == 2 + len(Settings.model_fields)
