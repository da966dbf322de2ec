"""The settings that ask for traces, and the variables of OpenTelemetry's standard."""

from importlib.machinery import ModuleSpec
from importlib.util import find_spec

import pytest

from handlers.settings.settings import Settings
from handlers.shared_settings.reading import read_section
from handlers.tracing import settings as tracing_settings

URL = "http://localhost:4318"


@pytest.mark.parametrize(
    ("variables", "is_on"),
    [
        ({}, False),
        ({"OTLP_ENDPOINT": URL}, True),
        ({"VERBATIM_OTLP_ENDPOINT": URL}, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": URL}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"{URL}/my/path"}, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": ""}, False),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, True),
        ({"OTLP_ENDPOINT": URL, "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, True),
        ({"OTLP_ENDPOINT": URL, "OTEL_SDK_DISABLED": "True"}, False),
        ({"OTLP_ENDPOINT": URL, "OTEL_SDK_DISABLED": "false"}, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": URL, "OTEL_TRACES_EXPORTER": "none"}, False),
        ({"OTEL_SERVICE_NAME": "shop", "OTEL_TRACES_SAMPLER": "always_on"}, False),
        # What is wrong with traces is nothing to a server that exports none.
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, False),
    ],
)
def test_an_address_asks_for_traces_unless_they_are_turned_off(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], is_on: bool
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert read_section(Settings, {}).exports_traces is is_on


@pytest.mark.parametrize(
    ("variables", "complaint"),
    [
        ({"OTLP_ENDPOINT": "localhost:4318"}, "OTLP_ENDPOINT: 'localhost:4318' is not a URL"),
        ({"OTLP_ENDPOINT": "http://otel:4317"}, "OTLP_ENDPOINT: 4317 is the port of OTLP over gRPC"),
        ({"OTLP_ENDPOINT": "http://otel:port"}, "OTLP_ENDPOINT: "),
        ({"OTEL_TRACES_EXPORTER": "zipkin"}, "OTEL_TRACES_EXPORTER is zipkin"),
        (
            {"OTLP_ENDPOINT": URL, "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
            "OTEL_EXPORTER_OTLP_PROTOCOL is grpc",
        ),
        (
            {"OTLP_ENDPOINT": URL, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json"},
            "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL is http/json",
        ),
    ],
)
def test_what_cannot_be_exported_is_an_error(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], complaint: str
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ValueError) as caught:
        read_section(Settings, {})
    assert str(caught.value).startswith(complaint)


@pytest.mark.parametrize("missing", ["opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http"])
def test_traces_without_the_extra_are_an_error_that_names_it(
    monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    def find(name: str) -> ModuleSpec | None:
        return None if name == missing else find_spec(name)

    monkeypatch.setattr(tracing_settings, "find_spec", find)
    read_section(Settings, {})
    with pytest.raises(ValueError, match=r"pip install 'verbatim-server\[otel\]' installs it"):
        read_section(Settings, {"otlp_endpoint": URL})
