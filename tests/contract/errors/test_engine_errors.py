"""Every contract maps the engine's errors to a status that its document declares."""

import logging

import pytest

from engine.port.errors import (
    EngineBusy,
    EngineDied,
    EngineError,
    EngineStopped,
    GenerationFailed,
    InvalidGrammar,
    InvalidMedia,
    InvalidRequest,
    InvalidToken,
    NotCapable,
    NotFinite,
    NoTokenLeft,
    PromptTooLong,
    ReaderTooSlow,
    RequestAborted,
    UnknownAdapter,
)
from engine.remote.client.failures import ServerFailed
from handlers.composition import TABLES, build_app
from handlers.settings.settings import Settings
from tests.contract.requests.paths import is_of
from tests.support.samples.contracts import LongRequest, samples_of
from tests.support.scripted.engine import ScriptedEngine, fails_after
from tests.unit.verbatim_kit.runtime.client import send

ERRORS = [
    InvalidRequest("no"),
    PromptTooLong(9, 9, 9),
    InvalidMedia(0, "no"),
    InvalidToken("no"),
    InvalidGrammar("no"),
    UnknownAdapter("no"),
    NotCapable("typical_p"),
    GenerationFailed("no"),
    ServerFailed("no"),
    EngineDied(),
    NotFinite("no"),
    NoTokenLeft("no"),
    RequestAborted("no"),
    ReaderTooSlow("no"),
    EngineStopped("no"),
    EngineBusy("no"),
]


def test_all_that_the_engine_raises_for_a_request_is_here() -> None:
    # Of a start, or of the operation that loads an adapter, which has tests of its own.
    at_load = {
        "ModelNotSupported",
        "NotReady",
        "Unlisted",
        "NoPagedAttention",
        "KernelsMissing",
        "LibrariesMissing",
        "CannotPublish",
        "CannotLoadAdapter",
    }
    for_requests = {error for error in _leaves(EngineError) if error.__name__ not in at_load}
    assert for_requests <= {type(error) for error in ERRORS}


def _leaves(error: type[Exception]) -> set[type[Exception]]:
    return {error}.union(*(_leaves(kind) for kind in error.__subclasses__())) - {EngineError}


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize(
    ("contract", "request_"),
    [
        # One table of errors serves all operations of a contract.
        pytest.param(name, request, id=f"{name}{request.path}", marks=pytest.mark.long if place else ())
        for name in TABLES
        for place, request in enumerate(samples_of(name).long_requests)
    ],
)
async def test_an_error_of_the_engine_has_a_declared_status(
    contract: str, request_: LongRequest, error: EngineError, caplog: pytest.LogCaptureFixture
) -> None:
    app = build_app(Settings(), ScriptedEngine(fails_after(error), max_total_tokens=1000))
    path, headers = f"/{contract}{request_.path}", samples_of(contract).headers
    response = await send(app, "POST", path, json=request_.body, headers=headers)
    operation = next(one for one in TABLES[contract] if is_of(one, "POST", request_.path))
    assert response.status_code in operation.errors
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
    if isinstance(error, InvalidRequest):
        assert 400 <= response.status_code < 500
    unavailable = samples_of(contract).unavailable_status
    if isinstance(error, EngineBusy):  # others keep the server busy, which is no fault of the client's
        assert (response.status_code in (429, unavailable), "retry-after" in response.headers) == (True, True)
    if isinstance(error, EngineStopped):
        assert (response.status_code, "retry-after" in response.headers) == (unavailable, True)
