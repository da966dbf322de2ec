"""A setting that was given and has no effect is named at the start."""

from typing import Any

import pytest

from handlers.commands import serve
from handlers.settings.settings import Settings
from handlers.settings.start_warnings import start_warnings

_URL = ("http://127.0.0.1:8000",)


def warnings(environment: dict[str, str] | None = None, **settings: Any) -> list[str]:
    return list(start_warnings(Settings(**settings), environment or {}))


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("VERBATIM_API_KEYS", "; did you mean VERBATIM_API_KEY?"),
        ("VERBATIM_MAX_TOKENS_TOTAL", ""),
        ("Verbatim_Quantise", "; did you mean VERBATIM_QUANTIZE?"),
        ("VERBATIM_", ""),
    ],
)
def test_a_variable_that_is_no_setting_is_named_without_its_value(name: str, hint: str) -> None:
    (warning,) = warnings({name: "secret"})
    assert warning == f"{name} has no effect: it is no setting of this server{hint}"


def test_settings_and_variables_of_others_are_not_named() -> None:
    variables = ("VERBATIM_API_KEY", "verbatim_port", "PATH", "MAX_TOTAL_TOKENS", "UNKNOWN")
    of_services = (
        "VERBATIM_SERVICE_HOST",
        "VERBATIM_SERVICE_PORT",
        "VERBATIM_SERVICE_PORT_HTTP",
        "VERBATIM_PORT_8080_TCP",
        "VERBATIM_PORT_8080_TCP_ADDR",
        "VERBATIM_FRONT_PORT_80_TCP_PROTO",
    )
    assert warnings(dict.fromkeys((*variables, *of_services), "1")) == []
    assert warnings({"VERBATIM_API_PORT": "tcp://10.0.0.1:80"}) == []


def test_options_of_the_own_engine_are_named_where_other_servers_compute() -> None:
    given: dict[str, Any] = {
        "quantize": "int8",
        "speculate": 3,
        "max_batch_total_tokens": 1000,
        "prefix_caching": False,
        "pooling": "last",
    }
    assert warnings(engine_url=_URL, engine="vllm", **given) == [
        f"--{name} has no effect: it is of Verbatim's own engine, and other servers compute"
        for name in ("quantize", "max-batch-total-tokens", "speculate", "pooling")
    ]
    assert warnings(**given) == []


def test_options_of_servers_are_named_where_the_own_engine_computes() -> None:
    given: dict[str, Any] = {"engine_api_key": "k", "engine_timeout": 3.0}
    assert warnings(**given) == [
        f"--{name} has no effect: it is of other servers, and Verbatim's own engine computes"
        for name in ("engine-api-key", "engine-timeout")
    ]
    assert warnings(engine_url=_URL, **given) == []


def test_defaults_are_not_named() -> None:
    assert warnings() == []
    assert warnings(engine_url=_URL, quantize=None, dtype="auto") == []
    assert warnings(api_workers=2, engine_timeout=3.0) == []


def test_the_command_says_them(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

    def start(settings: Settings, models: object, warnings: list[str], watchdog: object) -> int:
        said.extend(warnings)
        return 0

    monkeypatch.setattr(serve, "_serve_with", start)
    monkeypatch.setenv("VERBATIM_API_KEYS", "secret")
    serve.serve_as_given({}, lambda given: Settings(**given))
    assert any(warning.startswith("VERBATIM_API_KEYS has no effect") for warning in said)


def test_texts_in_the_log_are_warned_of() -> None:
    assert warnings(log_requests=True) == [
        "--log-requests writes the texts of requests and answers to the log"
    ]
    assert warnings(log_requests=True, access_log=False) == [
        "--log-requests has no effect: no requests are logged"
    ]
    assert warnings() == []
