"""Adapters are given as vLLM and Text Generation Inference have them."""

from argparse import ArgumentParser

import pytest

from engine.config import AdapterLimits, AdapterSource
from handlers.engine_starter import engine_config
from handlers.settings.command_line import add_settings, read_settings


def sources(*arguments: str) -> tuple[AdapterSource, ...]:
    parser = ArgumentParser()
    add_settings(parser)
    return engine_config(read_settings(parser.parse_args(arguments))).adapters


@pytest.mark.parametrize(
    "arguments",
    [
        ["--lora-adapters", "a=/x/y,b=org/b"],
        ["--lora-adapters", "a=/x/y", "--lora-adapters", "b=org/b"],
        ["--lora-modules", "a=/x/y", "--lora-modules", "b=org/b"],
    ],
)
def test_adapters_are_named_in_one_option_or_in_several(arguments: list[str]) -> None:
    assert sources(*arguments) == (("a", "/x/y"), ("b", "org/b"))


def test_processes_for_http_may_stand_before_an_engine_with_adapters() -> None:
    assert sources("--lora-adapters", "a=/x", "--api-workers", "2") == (("a", "/x"),)


def test_the_variable_is_that_of_tgi_where_a_repository_may_name_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LORA_ADAPTERS", "org/a, b=/x/y=z")
    assert sources() == (("org/a", "org/a"), ("b", "/x/y=z"))


def test_the_limits_are_the_engines() -> None:
    parser = ArgumentParser()
    add_settings(parser)
    limits = ["--max-loras", "1", "--max-lora-rank", "2", "--max-lora-bytes", "3", "--max-lora-names", "4"]
    config = engine_config(read_settings(parser.parse_args([*limits, "--lora-root", "/x"])))
    assert config.adapter_root == "/x"
    assert config.adapter_limits == AdapterLimits(max_in_memory=1, max_rank=2, max_bytes=3, max_named=4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--lora-adapters", "a=x,a=y"], "--lora-adapters: two adapters have the same name"),
        (["--lora-adapters", "=x"], "--lora-adapters: an adapter must have the form name=folder"),
        (["--lora-adapters", "a="], "--lora-adapters: an adapter must have the form name=folder"),
        (["--lora-adapters", "tgi=/x"], "--lora-adapters: 'tgi' is already a name of the model"),
        (["--lora-adapters", "a=/x,b=/y", "--max-lora-names", "1"], "2 adapters, more than --max-lora-names"),
        (["--lora-root", "/x", "--api-workers", "2"], "needs the engine in the process that serves HTTP"),
        (["--lora-root", "/x", "--engine-url", "http://a"], "needs the engine in the process that serves"),
        (["--lora-adapters", "a=/x", "--engine-url", "http://a"], "only for the local engine"),
    ],
)
def test_what_cannot_be_served_is_refused_at_the_start(arguments: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sources(*arguments)
