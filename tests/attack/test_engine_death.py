"""When the engine dies, requests end with an error, probes fail, and the process ends with a status."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from handlers.composition import TABLES
from handlers.process.exit_status import ExitStatus
from tests.attack.clients.wire import exchange, request_bytes
from tests.attack.faults.faults import Stream, begin_fault, faulty_factory, faulty_server, status_of
from tests.conftest import Server
from tests.support.samples.contracts import samples_of

_END_S = 30.0  # a few seconds, on a busy machine
_SECRETS = ("/srv/secret", "0x7f00deadbeef", "panic")

STREAMS = {
    contract: streams[0]
    for contract in TABLES
    if (streams := [one for one in samples_of(contract).long_requests if one.is_finished is not None])
}


@contextmanager
def _streams(server: Server) -> Iterator[dict[str, Stream]]:
    """One of each contract."""
    with ExitStack() as opened:
        yield {
            contract: opened.enter_context(
                closing(
                    Stream(server.url, f"/{contract}{asked.path}", asked.body, samples_of(contract).headers)
                )
            )
            for contract, asked in STREAMS.items()
        }


def _check_ended_in_error(contract: str, stream: Stream) -> None:
    assert stream.status == 200, contract
    last = stream.last_event()
    request = STREAMS[contract]
    assert request.is_finished is not None and request.is_unavailable is not None
    assert "error" in str(last), (contract, last)
    assert "shutting down" not in str(last), (contract, last)
    _check_has_no_secret(last)


def _check_has_no_secret(answer: Any) -> None:
    assert not any(secret in str(answer) for secret in _SECRETS), answer


def test_the_engines_death_ends_requests_with_an_error_and_the_process_with_a_status(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("w") as file, faulty_server("death", log=file) as server:
        with _streams(server) as streams:
            begin_fault(server)
            for contract, stream in streams.items():
                _check_ended_in_error(contract, stream)
        assert server.process.wait(timeout=_END_S) == ExitStatus.ENGINE_DIED
    text = log.read_text()
    assert "CRITICAL engine.engine_thread.engine_thread: the engine died\nTraceback" in text
    assert "SystemExit: panic" in text, "the operator learns why"


def test_the_engines_death_ends_the_process_under_another_server(tmp_path: Path) -> None:
    log = tmp_path / "log"
    settings = {"VERBATIM_MAX_TOTAL_TOKENS": "512"}
    with log.open("w") as file, patch.dict(os.environ, settings), faulty_factory("death", log=file) as server:
        request = STREAMS["tgi"]
        with closing(Stream(server.url, request.path, request.body)) as stream:
            begin_fault(server)
            _check_ended_in_error("tgi", stream)
        assert server.process.wait(timeout=_END_S) == ExitStatus.ENGINE_DIED
    assert "the engine died" in log.read_text()


@pytest.mark.parametrize("fault", ["nan", "failing_step"])
def test_a_step_that_fails_is_logged_and_its_requests_end_in_their_contracts_error(
    fault: str, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    with log.open("w") as file, faulty_server(fault, log=file) as server:
        with _streams(server) as streams:
            begin_fault(server)
            for contract, stream in streams.items():
                _check_ended_in_error(contract, stream)
        _check_the_probes(server, fault)
    text = log.read_text()
    expected = "the logits are not finite" if fault == "nan" else "RuntimeError: CUDA error in /srv/secret"
    assert 1 <= text.count(expected) <= 3, "once in each interval"


def _check_the_probes(server: Server, fault: str) -> None:
    for _ in range(4):
        answer = exchange(server.url, request_bytes("/generate", {"inputs": "Hello"}))
        assert answer.status == 424
        _check_has_no_secret(answer.body)
    probes = ["/health", "/hf/health", "/v2/health/live", "/v2/health/ready"]
    statuses = [status_of(server, probe) for probe in probes]
    # Single requests whose numbers are wrong say nothing of the others; steps that fail in a row do.
    assert statuses == ([200] * 4 if fault == "nan" else [503, 503, 400, 400])
