"""The composition root: the only place that names every contract and ties them to one engine."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Final, Protocol

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from engine.async_engine import AsyncEngine
from engine.config import EngineConfig
from engine.demo_model import DEMO_MODEL
from engine.errors import EngineError
from generated.operation import Handlers, Operation
from handlers.chat.core import ChatCore
from handlers.engine import Engine
from handlers.limits import ConcurrencyLimit
from handlers.placement import check_root
from handlers.runtime.contract import Contract
from handlers.runtime.options import RuntimeOptions
from handlers.runtime.server import ContractServer
from handlers.settings import Settings
from handlers.tgi.contract import TgiContract
from handlers.tgi.operations import TgiHandlers
from handlers.tgi.service import Service
from handlers.workers import Workers

_BLOCK_SIZE: Final = EngineConfig(model="").block_size


class Implementation(Protocol):
    """Builds a contract's handlers over what all contracts share."""

    def __call__(
        self, engine: Engine, chat: ChatCore, settings: Settings, limit: ConcurrencyLimit, workers: Workers
    ) -> Handlers: ...


def _tgi(
    engine: Engine, chat: ChatCore, settings: Settings, limit: ConcurrencyLimit, workers: Workers
) -> Handlers:
    return TgiHandlers(Service(engine, chat, settings, limit, workers))


CONTRACTS: Final[Mapping[str, tuple[Contract, Implementation]]] = {TgiContract.name: (TgiContract(), _tgi)}
TABLES: Final[Mapping[str, tuple[Operation, ...]]] = {TgiContract.name: TgiHandlers.table}


def engine_config(settings: Settings) -> EngineConfig:
    """What the settings say of the engine; what they leave open is the engine's to choose."""
    given = {
        "max_total_tokens": settings.max_total_tokens,
        "max_batch_tokens": settings.max_batch_prefill_tokens,
        "max_num_sequences": settings.max_batch_size,
    }
    if settings.max_batch_total_tokens is not None:
        given["num_kv_blocks"] = -(-settings.max_batch_total_tokens // _BLOCK_SIZE)
    return EngineConfig(
        model=settings.model or str(DEMO_MODEL),
        revision=settings.revision,
        dtype=settings.dtype,
        device=settings.device,
        trust_remote_code=settings.trust_remote_code,
        **{name: value for name, value in given.items() if value is not None},
    )


def build_app(settings: Settings, engine: Engine) -> ASGIApp:
    """The application over an engine that runs already, which it stops when the server shuts down.

    Raises UnknownContract if `settings.root` names one.
    """
    check_root(settings.root, list(CONTRACTS))
    workers = Workers(settings.validation_workers)
    chat = ChatCore(engine.tokenizer, max_total_tokens=engine.model_info.max_total_tokens)
    limit = ConcurrencyLimit(settings.max_concurrent_requests)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None, None]:
        yield
        await engine.drain(settings.graceful_termination_timeout)
        await engine.stop()
        workers.shutdown()

    options = RuntimeOptions(max_body_bytes=settings.payload_limit, api_key=settings.api_key)
    server = ContractServer(FastAPI(openapi_url=None, lifespan=lifespan), options)
    handlers = {
        name: implement(engine, chat, settings, limit, workers) for name, (_, implement) in CONTRACTS.items()
    }
    for name in settings.root:
        server.mount(CONTRACTS[name][0], handlers[name])
    for name in CONTRACTS:
        server.mount(CONTRACTS[name][0], handlers[name], prefix=f"/{name}")
    return _with_cors(server, settings)


def _with_cors(app: ASGIApp, settings: Settings) -> ASGIApp:
    return CORSMiddleware(
        app,
        allow_origins=settings.cors_allow_origin,
        allow_methods=["GET", "POST"],
        allow_headers=["*"],  # client libraries in a page send headers of their own
    )


def create_app() -> ASGIApp:
    """For `uvicorn handlers.app:create_app --factory`; settings come from the environment."""
    return _StartsEngine(Settings())


class _StartsEngine:
    """Starts the engine when the server starts, and then is the application."""

    def __init__(self, settings: Settings) -> None:
        check_root(settings.root, list(CONTRACTS))
        self._settings = settings
        self._app: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._app is None:
            assert scope["type"] == "lifespan", "the server must run the application's lifespan"
            try:
                started = await AsyncEngine.start(engine_config(self._settings))
            except EngineError as error:
                await receive()
                await send({"type": "lifespan.startup.failed", "message": str(error)})
                return
            self._app = build_app(self._settings, started)
        await self._app(scope, receive, send)
