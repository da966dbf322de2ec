"""Several models are given as arguments or as a setting, each with a name of its own."""

import argparse
from typing import Any

import pytest

from handlers.settings.command_line import add_settings, read_settings
from handlers.settings.settings import Settings
from handlers.settings.several_models import sources_by_name


def read(*arguments: str) -> Settings:
    parser = argparse.ArgumentParser()
    add_settings(parser, takes_several=True)
    return read_settings(parser.parse_args(arguments))


@pytest.mark.parametrize(
    ("arguments", "model", "models"),
    [
        ((), None, ()),
        (("a",), "a", ()),
        (("--port", "1", "a"), "a", ()),
        (("a", "b", "--port", "1"), None, ("a", "b")),
        (("--port", "1", "a", "n=b"), None, ("a", "n=b")),
        (("--models", "a,b"), None, ("a", "b")),
        (("--models", "a"), None, ("a",)),
    ],
)
def test_arguments_are_one_model_or_several(
    arguments: tuple[str, ...], model: str | None, models: tuple[str, ...]
) -> None:
    settings = read(*arguments)
    assert (settings.model, settings.models) == (model, models)
    assert settings.is_supervised == bool(models)


def test_a_model_is_named_by_its_source_or_by_a_name_before_it() -> None:
    assert sources_by_name(("owner/a", "small=./b")) == {"owner/a": "owner/a", "small": "./b"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"models": ("a", "a")}, "two models have the same name"),
        ({"models": ("a", "=b")}, "NAME=A"),
        ({"models": ("a", "b"), "served_model_name": "c"}, "served_model_name is for one model"),
        ({"models": ("a", "b"), "lora_adapters": ("x=y",)}, "lora_adapters is for one model"),
        ({"model_memory": "lots"}, "byte string"),
        ({"model_memory": "0"}, "greater than 0"),
        ({"admin_key": ""}, "at least 1 character"),
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Settings(**given)


def test_memory_has_a_unit() -> None:
    assert read("--model-memory", "12GiB").model_memory == 12 * 2**30


@pytest.mark.parametrize("given", [{"model_idle_timeout": 60}, {"admin_key": "secret"}])
def test_one_model_runs_in_a_process_of_its_own_where_it_can_be_stopped(given: dict[str, Any]) -> None:
    assert Settings(**given).is_supervised
