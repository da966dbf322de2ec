"""TGI's command: its arguments as our settings, and a server that it starts."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.demo_model import DEMO_MODEL
from handlers.cli import main as verbatim
from handlers.commands.launcher import launcher_parser, read_launcher_settings
from handlers.settings.other_programs.argument import Setting
from handlers.settings.other_programs.tgi import ARGUMENTS
from handlers.settings.settings import Settings
from handlers.text_generation_launcher import main
from handlers.version import VERSION

TOKENIZER_CONFIG = {"chat_template": "{{ messages[0].content }}"}
# Each argument that becomes a setting: a text that is no default, and the setting's value.
VALUES: dict[str, tuple[str, Any]] = {
    "model_id": ("some/model", "some/model"),
    "revision": ("refs/pr/1", "refs/pr/1"),
    "validation_workers": ("3", 3),
    "quantize": ("int8", "int8"),
    "dtype": ("bfloat16", "bfloat16"),
    "speculate": ("3", 3),
    "max_concurrent_requests": ("7", 7),
    "max_best_of": ("3", 3),
    "max_stop_sequences": ("6", 6),
    "max_top_n_tokens": ("9", 9),
    "max_input_tokens": ("100", 100),
    "max_input_length": ("100", 100),
    "max_total_tokens": ("200", 200),
    "max_batch_prefill_tokens": ("64", 64),
    "max_batch_total_tokens": ("6400", 6400),
    "max_batch_size": ("5", 5),
    "hostname": ("::1", "::1"),
    "port": ("4000", 4000),
    "huggingface_hub_cache": ("/data", "/data"),
    "otlp_endpoint": ("http://otel:4318", "http://otel:4318"),
    "otlp_service_name": ("tgi", "tgi"),
    "cors_allow_origin": ("https://a.example", ("https://a.example",)),
    "api_key": ("secret", "secret"),
    "watermark_gamma": ("0.25", 0.25),
    "watermark_delta": ("1.5", 1.5),
    "tokenizer_config_path": ("tokenizer_config.json", TOKENIZER_CONFIG["chat_template"]),
    "max_client_batch_size": ("8", 8),
    "payload_limit": ("1000", 1000),
    "lora_adapters": ("a/b,c=/d", ("a/b", "c=/d")),
    "graceful_termination_timeout": ("5", 5),
    "num_shard": ("2", 2),
}
SWITCHES = ("trust_remote_code", "json_output", "disable_grammar_support")
FORMS = {each.name: each for each in ARGUMENTS}


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for field in Settings.model_fields.values():
        for name in field.validation_alias.choices:  # type: ignore[union-attr]  # all have AliasChoices
            monkeypatch.delenv(str(name), raising=False)
    for argument in ARGUMENTS:
        if argument.variable:
            monkeypatch.delenv(argument.variable, raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(TOKENIZER_CONFIG))
    (tmp_path / "vllm").touch(mode=0o755)  # for --num-shard
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)


def read(*options: str) -> Settings:
    return read_launcher_settings(vars(launcher_parser().parse_args(options)))


def setting_of(name: str) -> str:
    effect = FORMS[name].effect
    assert isinstance(effect, Setting)
    return effect.name


def test_every_argument_that_becomes_a_setting_is_tried_here() -> None:
    assert {*VALUES, *SWITCHES} == {each.name for each in ARGUMENTS if isinstance(each.effect, Setting)}


@pytest.mark.parametrize("name", VALUES)
def test_an_argument_sets_its_setting_as_an_option_and_as_a_variable(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    text, value = VALUES[name]
    setting = setting_of(name)
    assert getattr(read(), setting) != value
    assert getattr(read("--" + name.replace("_", "-"), text), setting) == value
    assert getattr(read(f"--{name.replace('_', '-')}={text}"), setting) == value
    monkeypatch.setenv(name.upper(), text)
    assert getattr(read(), setting) == value
    assert getattr(Settings(), setting) == value


@pytest.mark.parametrize("name", SWITCHES)
def test_a_switch_sets_its_setting_as_an_option_and_as_a_variable(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    assert getattr(read(), setting_of(name)) is False
    assert getattr(read("--" + name.replace("_", "-")), setting_of(name)) is True
    monkeypatch.setenv(name.upper(), "true")
    assert getattr(read(), setting_of(name)) is True
    monkeypatch.setenv(name.upper(), "false")
    assert getattr(read(), setting_of(name)) is False


def test_the_short_forms_are_tgis() -> None:
    settings = read("-p", "4000", "-g", "5")
    assert (settings.port, settings.graceful_termination_timeout) == (4000, 5)


def test_the_defaults_of_address_and_paths_are_tgis(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = read()
    assert (settings.host, settings.port, settings.root) == ("0.0.0.0", 3000, ("tgi",))
    assert settings.cors_allow_origin == ()
    monkeypatch.setenv("HOSTNAME", "pod-7f9c")  # as containers set it
    monkeypatch.setenv("VERBATIM_ROOT", "openai,tgi")
    assert (read().host, read().root) == ("0.0.0.0", ("openai", "tgi"))


def test_a_repeated_option_lists_its_values() -> None:
    settings = read("--cors-allow-origin", "https://a.example", "--cors-allow-origin", "https://b.example")
    assert settings.cors_allow_origin == ("https://a.example", "https://b.example")


def test_the_default_of_several_templates_is_taken_and_a_file_without_one_changes_nothing() -> None:
    several = [{"name": "tool_use", "template": "no"}, {"name": "default", "template": "{{ yes }}"}]
    for config, template in (({"chat_template": several}, "{{ yes }}"), ({}, None)):
        Path("several.json").write_text(json.dumps(config))
        assert read("--tokenizer-config-path", "several.json").chat_template == template


def test_tgis_names_of_severities_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, level in (("warn", "warning"), ("TRACE", "debug"), ("info", "info")):
        monkeypatch.setenv("LOG_LEVEL", name)
        assert read().log_level == level


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--sharded", "true"], "--sharded true is refused: the number of devices is that of `--num-shard`"),
        (["--quantize", "bitsandbytes-nf4"], "--quantize: 'bitsandbytes-nf4' is not supported"),
        (["--rope-scaling", "dynamic"], "--rope-scaling dynamic is refused"),
        (["--lora-adapters", "a="], "--lora-adapters: an adapter must have the form name=folder"),
        (["--tokenizer-config-path", "none.json"], "--tokenizer-config-path: no chat template can be read"),
        (["--port", "many"], "--port: Input should be a valid integer"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_a_usage_error(
    capsys: pytest.CaptureFixture[str], options: list[str], line: str
) -> None:
    assert main(options) == 2
    shown = capsys.readouterr().err
    assert shown.startswith(f"verbatim: error: {line}") and shown.count("\n") == 1
    assert verbatim(["serve", *options]) == 2
    assert capsys.readouterr().err == shown


@pytest.mark.parametrize(("letter", "flag"), [("-p", "--port"), ("-g", "--graceful-termination-timeout")])
def test_verbatim_serve_takes_the_letters_too(
    capsys: pytest.CaptureFixture[str], letter: str, flag: str
) -> None:
    assert verbatim(["serve", letter, "many"]) == 2
    assert capsys.readouterr().err.startswith(f"verbatim: error: {flag}: Input should be a valid integer")


def test_an_argument_that_tgi_lacks_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    for option in ("--root", "--num-shar"):
        with pytest.raises(SystemExit) as ended:
            main([option, "1"])
        assert ended.value.code == 2
        assert f"unrecognized arguments: {option}" in capsys.readouterr().err


def test_version_and_help_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    for option in ("--version", "-V"):
        with pytest.raises(SystemExit) as ended:
            main([option])
        assert ended.value.code == 0
        assert capsys.readouterr().out == f"text-generation-launcher {VERSION} (Verbatim)\n"
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert all(argument.flag in shown for argument in ARGUMENTS)


def test_env_is_printed_before_the_model_loads(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--env", "--model-id", "./missing"]) == 1
    shown = capsys.readouterr()
    assert shown.out.startswith("Runtime environment:\n") and f"verbatim-server: {VERSION}" in shown.out
    assert "missing" in shown.err


# As in TGI's documentation and its users' manifests: docker run … text-generation-inference:3.3 …
REAL = """
    --num-shard 1 --sharded false --max-concurrent-requests 64 --max-input-tokens 511 --max-total-tokens 512
    --max-batch-prefill-tokens 512 --max-batch-total-tokens 16384 --waiting-served-ratio 1.2 --cuda-graphs 0
    --shard-uds-path /tmp/text-generation-server --usage-stats off --json-output --hostname 127.0.0.1 -p 0
"""


def hub_cache(folder: Path, model: str) -> Path:
    """Lay the demo model out as the Hugging Face hub's cache holds a model."""
    repository = folder / f"models--{model.replace('/', '--')}"
    commit = "0123456789abcdef0123456789abcdef01234567"
    shutil.copytree(
        DEMO_MODEL, repository / "snapshots" / commit, ignore=shutil.ignore_patterns("*.py", "__*")
    )
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
    return folder


@pytest.mark.timeout(300)  # a start beside other work
@pytest.mark.long
def test_a_real_command_line_starts_a_server_that_answers_and_logs_json(tmp_path: Path) -> None:
    cache = hub_cache(tmp_path / "cache", "some/model")
    command = [sys.executable, "-m", "handlers.text_generation_launcher", "--model-id", "some/model"]
    command += ["--huggingface-hub-cache", str(cache)]
    # Without those of the tests, such as VERBATIM_KERNELS_MUST_RUN, of which the start would warn.
    others = {name: value for name, value in os.environ.items() if not name.startswith("VERBATIM_")}
    process = subprocess.Popen(
        [*command, *REAL.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**others, "MASTER_ADDR": "localhost", "HF_HUB_OFFLINE": "1"},
    )
    assert process.stdout is not None
    said: list[dict[str, Any]] = []
    try:
        for line in process.stdout:
            said.append(json.loads(line))
            if said[-1]["fields"]["message"].startswith("ready at "):
                break
        else:
            pytest.fail(f"it ended with {process.wait()}: {said}")
        url = said[-1]["fields"]["message"].split()[-1]
        answer = httpx.post(url, json={"inputs": "Hello", "parameters": {"max_new_tokens": 5}}, timeout=60)
        assert answer.status_code == 200 and answer.json()[0]["generated_text"]
        info = httpx.get(f"{url}/info", timeout=60).json()
        assert (info["max_input_tokens"], info["max_total_tokens"]) == (511, 512)
        assert (info["model_id"], info["max_concurrent_requests"]) == ("some/model", 64)
        chat = {"model": "tgi", "messages": [{"role": "user", "content": "Hello!"}], "max_tokens": 5}
        completed = httpx.post(f"{url}/v1/chat/completions", json=chat, timeout=60).json()
        assert completed["system_fingerprint"].endswith("-native"), "TGI's contract has the root"
    finally:
        process.send_signal(signal.SIGTERM)
        rest, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    said += map(json.loads, rest.splitlines())
    warnings = [line["fields"]["message"] for line in said if line["level"] == "WARN"]
    assert [warning.split()[1] for warning in warnings] == [
        "--waiting-served-ratio", "--shard-uds-path", "MASTER_ADDR",
    ]  # fmt: skip
    assert all({"timestamp", "level", "fields", "target"} == line.keys() for line in said)
