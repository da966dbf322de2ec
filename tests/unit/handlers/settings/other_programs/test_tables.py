"""The tables of other programs' options say what `verbatim serve` does with them."""

from typing import Any

import pytest

from handlers.commands.command_parser import CommandParser
from handlers.settings.command_line import add_settings, options, read_settings
from handlers.settings.other_programs.argument import Argument, Setting
from handlers.settings.other_programs.reading import PROGRAMS, check_arguments, settings_of
from handlers.settings.settings import Settings

ALL = [each for table in PROGRAMS.values() for each in table]


def parse(line: str) -> dict[str, Any]:
    parser = CommandParser()
    add_settings(parser)
    return vars(parser.parse_args(line.split()))


def text_for(argument: Argument) -> str:
    return "" if argument.form.metavar is None else "1"


@pytest.mark.parametrize("program", PROGRAMS)
def test_an_option_stands_once_in_a_table_and_a_setting_that_it_names_exists(program: str) -> None:
    table = PROGRAMS[program]
    flags = [name for each in table for name in each.flags]
    assert len(flags) == len({*flags})
    assert {each.effect.name for each in table if isinstance(each.effect, Setting)} <= {
        *Settings.model_fields
    }
    others = {each.name for each in table if not isinstance(each.effect, Setting)}
    assert not others & {*Settings.model_fields}, "it would set that setting"


def test_programs_that_share_a_name_mean_the_same_by_it() -> None:
    """The first table's effect holds, and one flag has one destination."""
    effects: dict[str, Any] = {}
    destinations: dict[str, str] = {}
    for argument in ALL:
        effect = argument.effect
        meaning = effect.name if isinstance(effect, Setting) else type(effect)
        assert effects.setdefault(argument.name, meaning) == meaning, argument.name
        for name in argument.flags:
            assert destinations.setdefault(name, argument.name) == argument.name, name
    for option in options():
        for name in option.own_flags:
            assert destinations.get(name, option.name) == option.name, name


@pytest.mark.parametrize("argument", ALL, ids=lambda each: each.name)
def test_every_flag_is_taken(argument: Argument) -> None:
    for name in argument.flags:
        given = parse(f"{name} {text_for(argument)}")
        assert argument.name in given, name
        if isinstance(argument.effect, Setting):
            assert settings_of(given)[1] == {argument.effect.name: argument.flag}


# As in the programs' own documentation.
def test_a_command_line_of_vllm_sets_what_it_means() -> None:
    given = parse(
        "org/model --served-model-name m --host 0.0.0.0 --port 8000 --api-key k --dtype bfloat16 -tp 1 "
        "--max-model-len 4096 --max-num-seqs 64 --max_num_batched_tokens=2048 --gpu-memory-utilization 0.9 "
        "--no-enable-prefix-caching --enable-auto-tool-choice --tool-call-parser hermes "
        "--reasoning-parser qwen3 --trust-remote-code --uvicorn-log-level warning --enforce-eager"
    )
    parser_given = CommandParser().parse_args([])
    parser_given.__dict__.update(given)
    settings = read_settings(parser_given)
    assert (settings.model, settings.model_name, settings.host, settings.port) == (
        "org/model", "m", "0.0.0.0", 8000,
    )  # fmt: skip
    assert (settings.api_key, settings.dtype, settings.tool_call_parser) == ("k", "bfloat16", "hermes")
    assert (settings.max_total_tokens, settings.max_batch_size) == (4096, 64)
    assert settings.max_batch_prefill_tokens == 2048
    assert (settings.prefix_caching, settings.trust_remote_code) == (False, True)
    assert settings.log_level == "warning" and not settings.is_over_servers
    (warning,) = check_arguments(given, {})
    assert warning.startswith("--gpu-memory-utilization has no effect: the KV cache is sized from")


def test_a_command_line_of_llama_cpp_sets_what_it_means() -> None:
    given = parse("-m model.gguf -c 4096 -ngl 99 -t 1 -np 4 --alias m --jinja -fa on --no-mmap --host ::1")
    assert (
        settings_of(given)[0].items()
        >= {
            "model": "model.gguf",
            "max_total_tokens": "4096",
            "num_threads": "1",
            "max_batch_size": "4",
            "served_model_name": "m",
            "host": "::1",
        }.items()
    )
    assert check_arguments(given, {}) == ["--no-mmap has no effect: how files are read is chosen here"]


@pytest.mark.parametrize("line", ["-c 0", "--max-model-len auto", "-np -1", "--threads -1"])
def test_a_value_that_stands_for_the_default_sets_nothing(line: str) -> None:
    assert settings_of(parse(line)) == ({}, {})


@pytest.mark.parametrize(
    ("line", "refusal"),
    [
        ("--pipeline-parallel-size 2", "--pipeline-parallel-size 2 is refused: vLLM does it"),
        ("--temp 0.7", "--temperature 0.7 is refused: requests have the same defaults"),
        ("--verbose", "--verbose true is refused: use `--log-level debug`"),
        ("--allowed-origins x", "--allowed-origins x is refused: use `--cors-allow-origin`"),
    ],
)
def test_what_would_change_answers_is_refused_with_what_to_use(line: str, refusal: str) -> None:
    with pytest.raises(ValueError) as refused:
        check_arguments(parse(line), {})
    assert str(refused.value).startswith(refusal)


def test_variables_are_tgis_alone() -> None:
    assert check_arguments({}, {"VERBOSE": "1", "SEED": "1", "TEMPERATURE": "1", "METRICS": "1"}) == []
