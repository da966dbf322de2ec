"""The settings of traces, and the standard variables that ask for them."""

import os
from contextlib import suppress
from importlib.util import find_spec
from typing import Annotated, Final, Self
from urllib.parse import urlsplit

from pydantic import field_validator, model_validator

from engine.extras import how_to_install
from handlers.shared_settings.kinds import env
from handlers.shared_settings.section import Section

_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")


class TracingSettings(Section):
    """The collector that gets traces, and the name under which it does."""

    otlp_endpoint: Annotated[str | None, env("VERBATIM_OTLP_ENDPOINT", "OTLP_ENDPOINT")] = None
    """URL of the OpenTelemetry collector that gets traces, by OTLP over HTTP: http://localhost:4318."""

    otlp_service_name: Annotated[str | None, env("VERBATIM_OTLP_SERVICE_NAME", "OTLP_SERVICE_NAME")] = None
    """Name of this server in traces; by default OTEL_SERVICE_NAME, or verbatim."""

    @property
    def exports_traces(self) -> bool:
        """True if an option or a standard variable names a collector, and none turns traces off."""
        exporter = os.environ.get("OTEL_TRACES_EXPORTER")
        if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true" or exporter == "none":
            return False
        return bool(exporter or self.otlp_endpoint or any(map(os.environ.get, _ENDPOINTS)))

    @field_validator("otlp_endpoint")
    @classmethod
    def _is_url(cls, endpoint: str | None) -> str | None:
        if endpoint is not None and not endpoint.startswith(("http://", "https://")):
            raise ValueError(f"{endpoint!r} is not a URL, such as http://localhost:4318")
        if endpoint is not None and urlsplit(endpoint).port == 4317:
            raise ValueError("4317 is the port of OTLP over gRPC; the one of OTLP over HTTP is 4318")
        return endpoint

    @model_validator(mode="after")
    def _can_export(self) -> Self:
        if self.exports_traces:
            _check_variables()
            if not _is_installed():
                raise ValueError(
                    "otlp_endpoint or a variable OTEL_* asks for traces, but OpenTelemetry is not installed: "
                    f"{how_to_install('otel')} installs it, OTEL_SDK_DISABLED=true asks for none"
                )
        return self


def _check_variables() -> None:
    """Raise ValueError for a standard variable that asks for what this server does not do."""
    for names, has in (("OTEL_TRACES_EXPORTER",), "otlp"), (_PROTOCOLS, "http/protobuf"):
        name = next(filter(os.environ.get, names), None)  # the first has precedence
        if name is not None and os.environ[name] != has:
            raise ValueError(f"{name} is {os.environ[name]}; this server has only {has}")


def _is_installed() -> bool:
    with suppress(ModuleNotFoundError):  # of a parent
        names = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")
        return all(find_spec(name) is not None for name in names)
    return False
