"""A model on several GPUs is vLLM's, which the server starts with the options that were given."""

import shlex
from pathlib import Path

import pytest

from handlers.settings.command_line import read_settings
from handlers.settings.other_programs.reading import check_arguments
from handlers.settings.settings import Settings
from handlers.settings.several_gpus import HANDED_ON
from handlers.settings.start_warnings import start_warnings
from tests.unit.handlers.settings.test_command_line import parse


@pytest.fixture
def vllm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    program = tmp_path / "vllm"
    program.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    return str(program)


def words(settings: Settings) -> list[str]:
    assert settings.engine_command is not None
    return shlex.split(settings.engine_command)


@pytest.mark.parametrize("name", ["--tensor-parallel-size", "-tp", "--num-shard"])
def test_vllm_is_started_on_this_machine_alone_with_the_options_that_a_front_needs(
    vllm: str, name: str
) -> None:
    settings = read_settings(parse("org/model", name, "2"))
    assert settings.engine == "vllm" and settings.is_over_servers
    command = words(settings)
    assert command[:7] == [vllm, "serve", "org/model", "--host", "127.0.0.1", "--port", "{port}"]
    assert "--enable-scale-out" in command
    assert command[-2:] == ["--tensor-parallel-size", "2"]


def test_what_was_given_is_handed_on_by_vllms_names_and_nothing_is_said_to_have_no_effect(vllm: str) -> None:
    given = parse(
        *("org/model", "-tp", "2", "--max-total-tokens", "4096", "--max-batch-size", "8", "--revision", "r"),
        *("--no-prefix-caching", "--gpu-memory-utilization", "0.9", "-pp", "2", "--quantization", "awq"),
        *("--hf-overrides", '{"a b": 1}', "--enforce-eager", "--sharded", "true"),
    )
    settings = read_settings(given)
    command = words(settings)
    options = list(zip(command, command[1:], strict=False))
    for expected in (
        ("--max-model-len", "4096"),
        ("--max-num-seqs", "8"),
        ("--revision", "r"),
        ("--gpu-memory-utilization", "0.9"),
        ("--pipeline-parallel-size", "2"),
        ("--quantization", "awq"),
        ("--hf-overrides", '{"a b": 1}'),
    ):
        assert expected in options
    assert {"--enforce-eager", "--no-enable-prefix-caching"} <= {*command} and "--sharded" not in command
    assert check_arguments(vars(given), {}, HANDED_ON) == []
    assert list(start_warnings(settings, {})) == []
    assert (settings.max_total_tokens, settings.prefix_caching) == (4096, False), "they are the front's too"


def test_what_vllm_has_no_name_for_is_said_to_have_no_effect(vllm: str) -> None:
    settings = read_settings(parse("org/model", "-tp", "2", "--require-native"))
    (warning,) = start_warnings(settings, {})
    assert warning.startswith("--require-native has no effect")


def test_the_variable_of_tgi_counts_too(vllm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUM_SHARD", "4")
    assert words(read_settings(parse("org/model")))[-2:] == ["--tensor-parallel-size", "4"]


def test_without_vllm_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        ValueError, match="^--num-shard: several GPUs need vLLM, which is not installed: pip install"
    ):
        read_settings(parse("org/model", "--num-shard", "2"))


@pytest.mark.parametrize(
    "arguments",
    [
        ["--engine-url", "http://a:1", "--engine", "vllm"],
        ["--engine", "sglang"],
        ["--engine-command", "serve {port}"],
        ["--api-workers", "2"],
        ["--lora-adapters", "a=/x"],
    ],
)
def test_it_goes_with_nothing_that_another_engine_has(vllm: str, arguments: list[str]) -> None:
    with pytest.raises(ValueError, match="^--"):
        read_settings(parse("org/model", "-tp", "2", *arguments))
