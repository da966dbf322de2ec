"""Whoever runs uvicorn themselves gets the limits of the environment's settings."""

import importlib
import sys

import pytest

from verbatim_kit.http.limits import HttpLimits


def limits_from(monkeypatch: pytest.MonkeyPatch, **environment: str) -> HttpLimits:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delitem(sys.modules, "handlers.access.connections.environment", raising=False)
    limits = importlib.import_module("handlers.access.connections.environment").Protocol.registry.limits
    assert isinstance(limits, HttpLimits)
    return limits


def test_the_limits_are_the_environments(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = limits_from(
        monkeypatch, VERBATIM_MAX_HEADERS="7", VERBATIM_CLIENT_TIMEOUT="2.5", VERBATIM_MAX_CONNECTIONS="9"
    )
    assert (limits.max_headers, limits.client_timeout, limits.max_connections) == (7, 2.5, 9)
    assert limits.max_url_bytes == 16_384


def test_a_setting_that_is_wrong_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit, match="verbatim: error: VERBATIM_HEADER_TIMEOUT: .* greater than 0"):
        limits_from(monkeypatch, VERBATIM_HEADER_TIMEOUT="0")
