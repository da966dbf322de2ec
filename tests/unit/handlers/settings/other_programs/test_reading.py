"""Every argument of TGI's launcher, as an option and as a variable."""

import argparse
from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest

from handlers.settings.other_programs.argument import Action, Argument, NoEffect, Refused, Setting
from handlers.settings.other_programs.reading import add_arguments, check_arguments, settings_of
from handlers.settings.other_programs.tgi import ARGUMENTS

WITHOUT_SETTING = tuple(each for each in ARGUMENTS if not isinstance(each.effect, Setting))


class Outcome(NamedTuple):
    """The message about an argument with a value: empty if it is accepted without a word."""

    name: str
    value: str
    warning: str = ""
    refusal: str = ""


SHARDS = "one process runs the whole model, without shards"
SPLIT = "the number of devices is that of `--num-shard`"
ROPE = "positions are scaled only as the model's `config.json` says"
OUTCOMES = [
    Outcome("sharded", "false"),
    Outcome("sharded", "true", refusal=f" true is refused: {SPLIT}"),
    Outcome("sharded", "perhaps", refusal=": Input should be a valid boolean"),
    Outcome("kv_cache_dtype", "fp8_e5m2", warning=" has no effect: the KV cache has the data type"),
    Outcome("kv_cache_dtype", "auto"),
    Outcome("kv_cache_dtype", "int4", refusal=": Input should be 'fp8_e4m3fn', 'fp8_e5m2', 'fp8' or 'auto'"),
    Outcome("waiting_served_ratio", "1.2", warning=" has no effect: prompts are computed in chunks"),
    Outcome("waiting_served_ratio", "x", refusal=": Input should be a valid number"),
    Outcome("max_waiting_tokens", "20", warning=" has no effect: prompts are computed in chunks"),
    Outcome("cuda_graphs", "0"),
    Outcome("cuda_graphs", "1,2,4", warning=" has no effect: no CUDA graphs are captured"),
    Outcome("prometheus_port", "9000", warning=" has no effect: `/metrics` is on the server's own port"),
    Outcome("prometheus_port", "90000", refusal=": Input should be less than or equal to 65535"),
    Outcome("shard_uds_path", "/tmp/x", warning=f" has no effect: {SHARDS}"),
    Outcome("master_addr", "localhost", warning=f" has no effect: {SHARDS}"),
    Outcome("master_port", "29500", warning=f" has no effect: {SHARDS}"),
    Outcome("weights_cache_override", "/data", warning=" has no effect: weights are read from"),
    Outcome("cuda_memory_fraction", "1.0"),
    Outcome("cuda_memory_fraction", "0.8", warning=" has no effect: the KV cache is sized from"),
    Outcome("rope_scaling", "linear"),
    Outcome("rope_scaling", "dynamic", refusal=f" dynamic is refused: {ROPE}"),
    Outcome("rope_factor", "1"),
    Outcome("rope_factor", "2.5", refusal=f" 2.5 is refused: {ROPE}"),
    Outcome("ngrok_authtoken", "secret", warning=" has no effect: no tunnel to ngrok is opened"),
    Outcome("ngrok_edge", "edge", warning=" has no effect: no tunnel to ngrok is opened"),
    Outcome("usage_stats", "off"),
    Outcome("usage_stats", "no-stack", warning=" has no effect: no statistics are sent to anybody"),
]
SWITCHES = [
    Outcome("disable_custom_kernels", "true", warning=" has no effect: TGI's CUDA kernels are not here"),
    Outcome("ngrok", "true", warning=" has no effect: no tunnel to ngrok is opened"),
    Outcome("enable_prefill_logprobs", "true"),
]


def parse(*options: str) -> dict[str, Any]:
    parser = argparse.ArgumentParser(exit_on_error=False)
    meanings = {each.effect.name: "meaning" for each in ARGUMENTS if isinstance(each.effect, Setting)}
    add_arguments(parser, ARGUMENTS, meanings)
    return vars(parser.parse_args(options))


def outcome_of(given: Mapping[str, Any], environment: Mapping[str, str], name: str) -> tuple[str, str]:
    """Return the warning and the refusal, each without the name that must begin it."""
    try:
        warnings = check_arguments(given, environment)
    except ValueError as error:
        assert str(error).startswith(name) and "\n" not in str(error)
        return "", str(error).removeprefix(name)
    assert len(warnings) <= 1 and all(warning.startswith(name) for warning in warnings)
    return "".join(warnings).removeprefix(name), ""


def check(expected: Outcome, found: tuple[str, str]) -> None:
    warning, refusal = found
    assert warning.startswith(expected.warning) and bool(warning) == bool(expected.warning)
    assert refusal.startswith(expected.refusal) and bool(refusal) == bool(expected.refusal)


def test_the_table_has_the_arguments_of_tgis_launcher_once_each() -> None:
    assert len(ARGUMENTS) == len({each.name for each in ARGUMENTS}) == 54
    assert sorted(letter for each in ARGUMENTS for letter in each.also) == ["-e", "-g", "-p"]


def test_every_argument_without_a_setting_is_tried_here() -> None:
    tried = {outcome.name for outcome in (*OUTCOMES, *SWITCHES)}
    assert tried | {"env"} == {each.name for each in WITHOUT_SETTING}
    refusing = {each.name for each in WITHOUT_SETTING if isinstance(each.effect, Refused)}
    assert refusing <= {outcome.name for outcome in OUTCOMES if outcome.refusal}
    warning = {
        each.name
        for each in WITHOUT_SETTING
        if isinstance(each.effect, NoEffect) and each.effect.same is not None
    }
    assert warning == {outcome.name for outcome in (*OUTCOMES, *SWITCHES) if outcome.warning}


@pytest.mark.parametrize("expected", OUTCOMES, ids=lambda each: f"{each.name}={each.value}")
def test_an_argument_has_the_same_outcome_as_an_option_and_as_a_variable(expected: Outcome) -> None:
    flag = "--" + expected.name.replace("_", "-")
    variable = expected.name.upper()
    check(expected, outcome_of(parse(flag, expected.value), {}, flag))
    check(expected, outcome_of(parse(f"{flag}={expected.value}"), {}, flag))
    check(expected, outcome_of({}, {variable: expected.value}, variable))


@pytest.mark.parametrize("expected", SWITCHES, ids=lambda each: each.name)
def test_a_switch_takes_no_value_as_an_option_and_true_or_false_as_a_variable(expected: Outcome) -> None:
    flag = "--" + expected.name.replace("_", "-")
    variable = expected.name.upper()
    check(expected, outcome_of(parse(flag), {}, flag))
    check(expected, outcome_of({}, {variable: expected.value}, variable))
    assert check_arguments({}, {variable: "false"}) == []
    with pytest.raises(ValueError, match=f"^{variable}: Input should be a valid boolean"):
        check_arguments({}, {variable: "perhaps"})


def test_an_option_comes_before_its_variable_and_an_empty_variable_counts_as_absent() -> None:
    assert check_arguments(parse("--sharded", "false"), {"SHARDED": "true"}) == []
    assert check_arguments({}, {"SHARDED": "", "MASTER_PORT": ""}) == []


def test_env_is_an_option_alone() -> None:
    """Variables called ENV are common, and have nothing to do with it."""
    [argument] = [each for each in ARGUMENTS if isinstance(each.effect, Action)]
    assert (argument.name, argument.variable) == ("env", None)
    assert parse("-e") == parse("--env") == {"env": True}


def test_all_that_is_refused_is_named_at_once() -> None:
    with pytest.raises(ValueError) as refused:
        check_arguments(parse("--sharded", "true", "--master-port", "1"), {"ROPE_FACTOR": "4"})
    lines = str(refused.value).splitlines()
    assert {line.split()[0] for line in lines} == {"--sharded", "ROPE_FACTOR"}


def test_a_secret_is_not_repeated() -> None:
    [warning] = check_arguments(parse("--ngrok-authtoken", "hunter2"), {})
    assert "hunter2" not in warning


def test_two_names_of_one_setting_must_agree() -> None:
    both = parse("--max-input-tokens", "10", "--max-input-length", "10")
    assert settings_of(both) == ({"max_input_tokens": "10"}, {"max_input_tokens": "--max-input-tokens"})
    with pytest.raises(ValueError, match="^--max-input-tokens and --max-input-length are the same setting"):
        settings_of(parse("--max-input-tokens", "10", "--max-input-length", "11"))


@pytest.mark.parametrize("argument", ARGUMENTS, ids=lambda each: each.name)
def test_an_argument_has_a_help_that_says_its_variable(argument: Argument) -> None:
    parser = argparse.ArgumentParser(prog="x")
    add_arguments(
        parser, [argument], {argument.effect.name: "m"} if isinstance(argument.effect, Setting) else {}
    )
    shown = parser.format_help()
    assert argument.flag in shown
    assert (f"[env:{argument.variable}]" in "".join(shown.split())) == (argument.variable is not None)
