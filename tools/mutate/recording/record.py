"""Recording of the server's answers, in the same process and without a network."""

import json
import logging
from asyncio import gather
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Any, Final

import httpx
from starlette.types import ASGIApp

from engine.port.engine import Engine
from engine.port.errors import EngineBusy, EngineStopped, GenerationFailed
from handlers.composition import CONTRACTS, build_app
from handlers.settings.settings import Settings
from tools.mutate.recording.failing_engine import FailingEngine
from tools.mutate.recording.requests import Request, bad_requests, good_requests, plain_requests
from verbatim_kit.judge.exchange import Exchange
from verbatim_kit.mutate.recorded import Recorded

_MAX_BODY_BYTES: Final = 20_000
_NUM_AT_ONCE: Final = 16
_ERRORS: Final = (
    EngineBusy("busy"),
    EngineStopped("stopped"),
    GenerationFailed("failed"),
    RuntimeError("broken"),
)


def documents() -> Mapping[str, Any]:
    """Return the effective OpenAPI document of every contract, by name."""
    return {name: json.loads(served.contract.document()) for name, served in CONTRACTS.items()}


async def record(engine: Engine, contracts: Mapping[str, Any]) -> AsyncIterator[Recorded]:
    """Yield the answers to valid requests, to invalid ones, without a key, and with a failing engine."""
    limits: dict[str, Any] = {"payload_limit": _MAX_BODY_BYTES}
    app = build_app(Settings(**limits), engine)
    keyed = build_app(Settings(api_key="secret", **limits), engine)
    failing = [
        build_app(Settings(**limits), FailingEngine(engine, error, num_events))
        for error in _ERRORS
        for num_events in (0, 2)
    ]
    for name, document in contracts.items():
        model = Settings().model_name
        plain = list(plain_requests(document, model))
        bad = bad_requests(document, model, _MAX_BODY_BYTES)
        for served, requests in ((app, good_requests(document, model)), (app, bad), (keyed, plain)):
            async for recorded in _answers(served, name, requests):
                yield recorded
        for served in failing:
            with _silent():  # without the log messages of the expected failures
                async for recorded in _answers(served, name, plain):
                    yield recorded


async def _answers(app: ASGIApp, contract: str, requests: Iterable[Request]) -> AsyncIterator[Recorded]:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url=f"http://server/{contract}/") as client:
        for batch in _batched(requests, _NUM_AT_ONCE):
            for recorded in await gather(*(_answer(client, contract, request) for request in batch)):
                yield recorded


async def _answer(client: httpx.AsyncClient, contract: str, request: Request) -> Recorded:
    answer = await client.request(
        request.method, request.path, content=request.body, headers=request.headers, timeout=60
    )
    exchange = Exchange(
        request.method,
        request.path,
        request.body,
        answer.status_code,
        tuple(answer.headers.multi_items()),
        answer.content,
    )
    return Recorded(contract, request.operation, exchange)


def _batched(requests: Iterable[Request], size: int) -> Iterator[tuple[Request, ...]]:
    """Yield the requests in batches, which the engine runs concurrently."""
    remaining = iter(requests)
    while batch := tuple(islice(remaining, size)):
        yield batch


@contextmanager
def _silent() -> Any:
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)
