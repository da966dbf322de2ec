from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from engine.config import QUANTIZATIONS, KVEventsConfig
from engine.remote.client.upstream import Upstream
from handlers.cli import main
from handlers.contracts.mindie.settings import MindieSettings
from handlers.engine_starter import engine_config, remote_config
from handlers.settings.settings import Settings
from handlers.shared_settings.section import Section

TGI_NAMES = [
    ("MODEL_ID", "some/model", "model", "some/model"),
    ("REVISION", "refs/pr/1", "revision", "refs/pr/1"),
    ("HOSTNAME", "0.0.0.0", "host", "0.0.0.0"),
    ("PORT", "3000", "port", 3000),
    ("MAX_CONCURRENT_REQUESTS", "7", "max_concurrent_requests", 7),
    ("MAX_BEST_OF", "3", "max_best_of", 3),
    ("MAX_STOP_SEQUENCES", "6", "max_stop_sequences", 6),
    ("MAX_TOP_N_TOKENS", "9", "max_top_n_tokens", 9),
    ("MAX_INPUT_TOKENS", "100", "max_input_tokens", 100),
    ("MAX_INPUT_LENGTH", "100", "max_input_tokens", 100),
    ("MAX_TOTAL_TOKENS", "200", "max_total_tokens", 200),
    ("MAX_BATCH_PREFILL_TOKENS", "64", "max_batch_prefill_tokens", 64),
    ("DTYPE", "bfloat16", "dtype", "bfloat16"),
    ("QUANTIZE", "INT8", "quantize", "int8"),
    ("TRUST_REMOTE_CODE", "true", "trust_remote_code", True),
    ("API_KEY", "secret", "api_key", "secret"),
    ("MAX_CLIENT_BATCH_SIZE", "8", "max_client_batch_size", 8),
    ("PAYLOAD_LIMIT", "1000", "payload_limit", 1000),
    (
        "CORS_ALLOW_ORIGIN",
        "https://a.example,https://b.example",
        "cors_allow_origin",
        ("https://a.example", "https://b.example"),
    ),
    ("WATERMARK_GAMMA", "0.25", "watermark_gamma", 0.25),
    ("WATERMARK_DELTA", "1.5", "watermark_delta", 1.5),
    ("COMPUTE_TYPE", "1-nvidia-a10g", "compute_type", "1-nvidia-a10g"),
    ("DISABLE_GRAMMAR_SUPPORT", "1", "disable_grammar_support", True),
    ("PREFIX_CACHING", "0", "prefix_caching", False),
    ("SPECULATE", "3", "speculate", 3),
]


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for field in Settings.model_fields.values():
        for name in field.validation_alias.choices:  # type: ignore[union-attr]  # all have AliasChoices
            monkeypatch.delenv(str(name), raising=False)
    yield


def test_each_setting_is_declared_in_one_section() -> None:
    sections = [base for base in Settings.__mro__ if issubclass(base, Section) and base is not Section]
    declared = Counter(name for section in sections for name in section.__annotations__)
    assert declared == Counter(dict.fromkeys(Settings.model_fields, 1))
    assert MindieSettings.model_fields.keys() == {"mindie_full_text"}


@pytest.mark.parametrize(("variable", "value", "field", "expected"), TGI_NAMES)
def test_the_released_servers_variable_is_read(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, field: str, expected: object
) -> None:
    monkeypatch.setenv(variable, value)
    assert getattr(Settings(), field) == expected


def test_our_own_variable_wins_over_the_released_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", "3000")
    monkeypatch.setenv("VERBATIM_PORT", "4000")
    assert Settings().port == 4000


def test_an_argument_wins_over_every_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERBATIM_PORT", "4000")
    assert Settings(port=5000).port == 5000


def test_a_hostname_that_names_the_machine_is_not_listened_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOSTNAME", "pod-7f9c")
    assert Settings().host == "127.0.0.1"


@pytest.mark.parametrize("variable", ["VERBATIM_PORT", "PORT", "verbatim_port"])
def test_the_address_of_a_service_of_kubernetes_is_no_port(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "tcp://10.96.0.7:8080")
    assert Settings().port == 8080
    monkeypatch.setenv("PORT" if variable != "PORT" else "VERBATIM_PORT", "3000")
    assert Settings().port == 3000


@pytest.mark.parametrize("name", ["model", "served_model_name"])
@pytest.mark.parametrize("value", ["", " "])
def test_a_blank_name_serves_no_other_model(name: str, value: str) -> None:
    with pytest.raises(ValidationError, match="a blank name is none"):
        Settings(**dict[str, Any]({name: value}))


@pytest.mark.parametrize("name", ["watermark_delta", "max_audio_seconds", "max_transcription_seconds"])
@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_a_number_that_is_computed_with_is_finite(name: str, value: float) -> None:
    with pytest.raises(ValidationError, match="Input should be"):
        Settings(**dict[str, Any]({name: value}))


def test_a_port_that_is_no_number_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERBATIM_PORT", "http://10.96.0.7:8080")
    with pytest.raises(ValidationError, match="VERBATIM_PORT"):
        Settings()


def test_an_empty_variable_counts_as_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAX_TOTAL_TOKENS", "")
    assert Settings().max_total_tokens is None


@pytest.mark.parametrize("variable", ["VERBATIM_API_KEY", "API_KEY"])
@pytest.mark.parametrize("key", ["", " ", "\t"])
def test_a_blank_key_is_no_absent_one(monkeypatch: pytest.MonkeyPatch, variable: str, key: str) -> None:
    monkeypatch.setenv(variable, key)
    with pytest.raises(ValidationError, match="the key is blank"):
        Settings()
    assert Settings(api_key="given").api_key == "given"


def test_a_key_that_no_header_can_carry_is_refused() -> None:
    with pytest.raises(
        ValidationError, match="the key begins or ends with blanks, which clients cannot send"
    ):
        Settings(api_key="key\n")


def test_limits_default_to_the_released_servers() -> None:
    settings = Settings()
    assert (settings.max_concurrent_requests, settings.max_best_of, settings.max_stop_sequences) == (
        128,
        2,
        4,
    )
    assert (settings.max_top_n_tokens, settings.max_client_batch_size) == (5, 4)
    assert settings.payload_limit == 2_000_000


def test_the_prompt_limit_stays_below_the_total() -> None:
    with pytest.raises(ValidationError, match="max_input_tokens must be less than max_total_tokens"):
        Settings(max_input_tokens=10, max_total_tokens=10)


@pytest.mark.parametrize("name", ["hermes", "qwen3_xml"])
def test_a_tool_format_has_a_name_or_an_alias(name: str) -> None:
    assert Settings(tool_call_parser=name).tool_call_parser == name


def test_a_tool_format_that_is_not_known_is_refused_with_those_that_are() -> None:
    with pytest.raises(ValidationError, match="'hermit' is none of .*hermes.*pythonic"):
        Settings(tool_call_parser="hermit")


def test_a_chat_template_is_text_or_a_file_that_can_be_read(tmp_path: Path) -> None:
    text = "{{ messages[0].content }} é"
    file = tmp_path / "chat.jinja"
    file.write_text(text, encoding="utf-8")
    assert Settings(chat_template=text).chat_template == text
    assert Settings(chat_template=str(file)).chat_template == text
    assert Settings().chat_template is None
    for path in (tmp_path / "missing.jinja", tmp_path):
        with pytest.raises(ValidationError, match="no chat template can be read"):
            Settings(chat_template=str(path))


def test_answers_are_judged_only_where_the_judge_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings(check_responses="fail").check_responses == "fail"
    monkeypatch.setattr("handlers.shared_settings.shared_settings.find_spec", lambda name: None)
    assert Settings().check_responses == "off"
    with pytest.raises(ValidationError, match=r"pip install 'verbatim-server\[check\]'"):
        Settings(check_responses="log")


def test_instruction_sets_are_known_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings().isa == "native"
    monkeypatch.setenv("VERBATIM_ISA", "AVX2")
    assert Settings().isa == "avx2"
    monkeypatch.setenv("VERBATIM_ISA", "x86")
    with pytest.raises(ValidationError, match="'x86' is not one of native, sse4_2, avx2, avx2_vnni, avx512"):
        Settings()


@pytest.mark.parametrize(
    ("value", "expected"), [("ngram", 8), ("NGRAM:5", 5), ("3", 3), ("0", 0), (15, 15), ("ngram:0", 0)]
)
def test_drafts_are_asked_for_by_method_or_number(
    monkeypatch: pytest.MonkeyPatch, value: str | int, expected: int
) -> None:
    assert Settings(speculate=value).speculate == expected
    monkeypatch.setenv("VERBATIM_SPECULATE", str(value))
    assert Settings().speculate == expected


@pytest.mark.parametrize("value", ["medusa", "ngram:", "ngram:x", "5:ngram", "-1", ":5"])
def test_other_ways_to_speculate_are_refused_by_name(value: str) -> None:
    with pytest.raises(ValidationError, match="is not supported; supported are ngram, ngram:N and N"):
        Settings(speculate=value)


def test_a_draft_longer_than_a_step_can_append_is_refused() -> None:
    with pytest.raises(ValidationError, match="less than or equal to 15"):
        Settings(speculate="ngram:16")


def test_a_quantization_that_is_not_supported_is_refused_by_name() -> None:
    with pytest.raises(ValidationError, match="'gptq' is not supported; supported are int8, int4, int4-g64"):
        Settings(quantize="gptq")


@pytest.mark.parametrize("name", QUANTIZATIONS)
def test_each_quantization_is_named_by_option_or_variable(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings(quantize=name.upper()).quantize == name
    monkeypatch.setenv("VERBATIM_QUANTIZE", name)
    assert engine_config(Settings()).quantize == name


def test_the_engine_over_servers_needs_their_urls() -> None:
    with pytest.raises(ValueError, match="needs an engine_url"):
        Settings(engine="sglang")
    assert not Settings().is_over_servers
    assert Settings(engine_url=("http://a:1",)).is_over_servers
    with pytest.raises(ValueError, match="engine verbatim needs an engine_url"):
        Settings(engine_command="serve")
    with pytest.raises(ValueError, match="cannot be combined with engine_url"):
        Settings(engine="vllm", engine_command="serve {port}", engine_url=("http://a:1",))
    with pytest.raises(ValueError, match="needs an engine_url"):
        Settings(engine="vllm", engine_command="serve --port 80")
    with pytest.raises(ValueError, match="starts one server"):
        Settings(engine="vllm", engine_command="serve", engine_url=("http://a:1", "http://b:1"))
    for command in ("", "serve 'x"):
        with pytest.raises(ValueError, match="the command is invalid"):
            Settings(engine="vllm", engine_command=command)
    assert Settings(engine="vllm", engine_command="serve {port}").engine_url == ()
    settings = Settings(engine="vllm", engine_url=("http://a:1", "https://b"))
    assert settings.engine_url == ("http://a:1", "https://b")


@pytest.mark.parametrize(
    "url",
    [  # "sesame" may be a part of a password
        "sesame:8000",
        "ftp://sesame",
        "http://",
        "http://a/?sesame",
        "http://a/#sesame",
        "http://a:99999",
        "http://a:sesame",
        "http://a:0",
        "http://[::1",
        "http://sesame..b",
        "http://.a",
        f"http://{'a' * 64}",
        "http://münchen.de",
        "http://a/sesame ä",
        "http://a b",
        "http://me:sesame/2@a",
        "http://me:sesame#2@a",
        "http://me:sesame,2@a",
        "me:sesame@a:8000",
    ],
)
def test_what_is_no_url_of_a_server_is_refused_and_not_shown(
    url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "m", "--engine", "vllm", "--engine-url", f"http://b:1,{url}"]) == 2
    error = capsys.readouterr().err
    assert "--engine-url: number 2 is not a server URL" in error
    assert "sesame" not in error and "Traceback" not in error


@pytest.mark.parametrize(
    "url", ["http://[::1]:8000", "https://xn--mnchen-3ya.de/base/", "http://me:ä%40@a_b:1", "http://a."]
)
async def test_a_url_of_a_server_is_taken_and_can_be_asked(url: str) -> None:
    assert Settings(engine="vllm", engine_url=(url,)).engine_url == (url,)
    await Upstream(url, api_key=None, timeout_s=1).close()


@pytest.mark.parametrize(
    "endpoint", ["", "5557", "http://*:5557", "tcp://*", "tcp://*:port", "tcp://a:b:1", "ipc://"]
)
def test_an_address_that_is_none_of_zmqs_is_refused_by_the_settings_name(endpoint: str) -> None:
    with pytest.raises(ValidationError, match=r"\nkv_events\n[^\n]*is not a ZMQ address"):
        Settings(kv_events=endpoint)


@pytest.mark.parametrize(
    "endpoint", ["tcp://*:5557", "tcp://[::]:5557", "tcp://indexer:5557", "ipc:///run/kv"]
)
def test_kv_events_have_vllms_addresses(endpoint: str) -> None:
    settings = Settings(kv_events=endpoint, kv_events_replay=endpoint, kv_events_topic="kv@pod@m")
    config = engine_config(settings).kv_events
    assert config == KVEventsConfig(
        endpoint=endpoint, replay_endpoint=endpoint, topic="kv@pod@m", buffer_steps=10_000
    )


def test_kv_events_need_their_library_an_address_and_a_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValidationError, match="kv_events_topic has no effect without kv_events"):
        Settings(kv_events_topic="kv@pod@m")
    with pytest.raises(ValidationError, match="needs prefix_caching, which is off"):
        Settings(kv_events="tcp://*:5557", prefix_caching=False)
    monkeypatch.setattr("handlers.settings.kv_events.find_spec", lambda name: None)
    with pytest.raises(ValidationError, match=r"pip install 'verbatim-server\[kv-events\]'"):
        Settings(kv_events="tcp://*:5557")


def test_priorities_are_said_of_the_servers_that_do_not_say_them() -> None:
    servers: dict[str, Any] = {"engine": "vllm", "engine_url": ("http://a:1",), "engine_priorities": True}
    assert remote_config(Settings(**servers)).priorities
    for engine, urls in (("verbatim", ()), ("verbatim", ("http://a:1",)), ("sglang", ("http://a:1",))):
        with pytest.raises(ValueError, match="engine_priorities is only for engine vllm"):
            Settings(**{**servers, "engine": engine, "engine_url": urls})


def test_processes_of_the_api_need_an_engine_here() -> None:
    assert Settings(api_workers=2).api_workers == 2
    with pytest.raises(ValueError, match="greater than or equal to 0"):
        Settings(api_workers=-1)
    with pytest.raises(ValueError, match="only for the local engine"):
        Settings(api_workers=2, engine_url=("http://a:1",))


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ({"host": "127.0.0.1"}, "http://127.0.0.1:81"),
        ({"host": "::1"}, "http://[::1]:81"),
        ({"host": "::1", "ssl_certfile": "c.pem"}, "https://[::1]:81"),
    ],
)
def test_url_puts_an_ipv6_address_in_brackets(given: dict[str, Any], url: str) -> None:
    assert Settings(**given).url(81) == url
