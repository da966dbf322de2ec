"""The settings of the token API behind the socket: none that clients meet holds a second time."""

from typing import Any

import pytest

from engine.demo_model import DEMO_MODEL
from engine.port.info.model_info import ModelInfo
from handlers.access.connections.settings import HttpSettings
from handlers.access.settings import AccessSettings
from handlers.serving.api_workers.engine_process import inner_settings
from handlers.settings.own_engine import OwnEngineSettings
from handlers.settings.settings import Settings
from handlers.shared_settings.log_settings import LogSettings

INFO = ModelInfo(
    model_id=str(DEMO_MODEL),
    revision=None,
    architecture="A",
    dtype="float32",
    device="cpu",
    num_parameters=1,
    max_total_tokens=256,
    vocab_size=10,
    hidden_size=8,
    num_blocks=4,
    block_size=16,
    kv_cache_bytes=1,
    max_batch_tokens=512,
    max_num_sequences=8,
)


@pytest.mark.parametrize(
    "given",
    [
        {"max_connections": 100},
        {"require_key": "all", "api_key": "k", "api_keys_file": "keys.toml"},
        {"disable_grammar_support": True},  # tool calls still have grammars
        {"audit_log": "-", "allowed_hosts": ("a.example",), "cors_allow_origin": ("*",), "host": "0.0.0.0"},
        {"ssl_certfile": "c.pem", "ssl_keyfile": "k.pem", "ssl_ca_certs": "a.pem"},
        {"client_timeout": 0.1, "keep_alive_timeout": 0.1, "header_timeout": 0.1, "body_timeout": 0.1},
        {"max_header_bytes": 10, "max_headers": 1, "max_url_bytes": 1, "upload_limit": 1},
        {"check_responses": "fail", "max_request_share": 0.01, "max_best_of": 1},
    ],
    ids=lambda given: next(iter(given)),
)
def test_a_setting_of_clients_is_the_usual_one_for_the_engine(given: dict[str, Any]) -> None:
    inner = inner_settings(Settings(**given), INFO)
    assert {name: getattr(inner, name) for name in given} == {
        name: Settings.model_fields[name].default for name in given
    }


def test_the_engines_own_settings_hold() -> None:
    given: dict[str, Any] = {
        "model": "a/b",
        "served_model_name": "m",
        "max_concurrent_requests": 3,
        "max_total_tokens": 99,
        "prefix_caching": False,
        "max_image_pixels": 1000,
        "max_transcription_seconds": 5.0,
        "graceful_termination_timeout": 7,
        "json_output": True,
        "otlp_endpoint": "http://localhost:4318",
    }
    inner = inner_settings(Settings(**given), INFO)
    assert {name: getattr(inner, name) for name in given} == given


def test_whole_sections_are_heeded_or_not() -> None:
    """So a setting that is new in one of them needs no mention here."""
    sections = (HttpSettings, OwnEngineSettings)
    given = Settings().model_copy(
        update={name: "given" for section in sections for name in section.model_fields}
        | {"payload_limit": 5, "max_media_bytes": 5}
    )
    inner = inner_settings(given, INFO)
    assert all(getattr(inner, name) == "given" for name in OwnEngineSettings.model_fields)
    assert not any(getattr(inner, name) == "given" for name in HttpSettings.model_fields)
    assert inner.payload_limit > 5


def test_every_setting_of_access_has_its_default_behind_the_socket() -> None:
    own = AccessSettings.model_fields.keys() - LogSettings.model_fields.keys()
    given = Settings().model_copy(update=dict.fromkeys(own, "given"))
    inner = inner_settings(given, INFO)
    assert {name: getattr(inner, name) for name in own} == {
        name: AccessSettings.model_fields[name].default for name in own
    }
    assert not inner.asks_for_key


def test_the_log_has_its_form_behind_the_socket_and_no_lines_of_requests() -> None:
    inner = inner_settings(Settings(log_format="json", log_level="debug", log_requests=True), INFO)
    assert (inner.logs_json, inner.log_level) == (True, "debug")
    assert (inner.logs_ends, inner.log_requests) == (False, False)
