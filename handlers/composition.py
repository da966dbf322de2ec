"""The composition root: the only place that names every contract and ties them to one engine."""

import asyncio
import dataclasses
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send
from typing_extensions import override

from engine.port.engine import Engine
from engine.port.info.capabilities import Capabilities
from handlers.access.access import Access
from handlers.access.visits.record_log import LOSSES
from handlers.access.visits.visit import private_cache_salt
from handlers.active_requests.active_request import ActiveRequests
from handlers.active_requests.metrics import Metrics, ShareMetrics
from handlers.batches.line_requests import LineRequests
from handlers.batches.runner import BatchRunner
from handlers.chat.core import ChatCore
from handlers.chat.media import PromptMedia
from handlers.concurrency.background_tasks import BackgroundTasks
from handlers.concurrency.limit import ConcurrencyLimit
from handlers.concurrency.workers import Workers
from handlers.contracts.aleph_alpha.contract import AlephAlphaContract
from handlers.contracts.aleph_alpha.operations import AlephAlphaHandlers
from handlers.contracts.anthropic.contract import AnthropicContract
from handlers.contracts.anthropic.operations import AnthropicHandlers
from handlers.contracts.hf.contract import HfContract
from handlers.contracts.hf.operations import HfHandlers
from handlers.contracts.mindie.contract import MindieContract
from handlers.contracts.mindie.operations import MindieHandlers
from handlers.contracts.open_responses.contract import OpenResponsesContract
from handlers.contracts.open_responses.operations import OpenResponsesHandlers
from handlers.contracts.openai.batches.batches import OpenAIBatchKind
from handlers.contracts.openai.batches.lines import OPERATIONS
from handlers.contracts.openai.contract import OpenAIContract
from handlers.contracts.openai.operations import OpenAIHandlers
from handlers.contracts.systemone.contract import SystemOneContract
from handlers.contracts.systemone.operations import SystemOneHandlers
from handlers.contracts.tgi.contract import TgiContract
from handlers.contracts.tgi.operations import TgiHandlers
from handlers.contracts.tokens.contract import TokensContract
from handlers.contracts.tokens.operations import TokensHandlers
from handlers.contracts.triton.contract import TritonContract
from handlers.contracts.triton.operations import TritonHandlers
from handlers.media.part_reader import PartReader
from handlers.media.preparation import MediaPreparation
from handlers.media.urls import MAX_FETCHES
from handlers.process.interpreter_share import InterpreterShare
from handlers.root_paths.document import RootDocument
from handlers.root_paths.invocations import INVOCATIONS, Invocations
from handlers.root_paths.playground.home import HOME_LINK
from handlers.root_paths.playground.page import LINK, Playground
from handlers.root_paths.probes import PROBES, Probes
from handlers.served_model.model_contract import ModelContract
from handlers.served_model.model_names import ModelNames
from handlers.served_model.served_document import served_document
from handlers.served_model.served_model import ServedModel
from handlers.settings.settings import Settings
from handlers.store.database import Bounds
from handlers.store.store import Store
from handlers.transcription.transcriber import Transcriber
from handlers.transcription.transcript import Transcribes
from verbatim_kit.http.descriptors import OWN_CONNECTIONS
from verbatim_kit.runtime.body_thread import BodyThread
from verbatim_kit.runtime.cors import Cors
from verbatim_kit.runtime.endpoint import Endpoint
from verbatim_kit.runtime.operation import Handlers, Operation
from verbatim_kit.runtime.root_routes import Yields, check_root, placements, yielded
from verbatim_kit.runtime.runtime_options import RuntimeOptions
from verbatim_kit.runtime.server import ContractServer, MakeEndpoint
from verbatim_kit.runtime.web_sockets import WebSockets

if TYPE_CHECKING:
    from handlers.tracing.tracing import Tracing


class _HasTable(Protocol):
    @property
    def table(self) -> tuple[Operation, ...]: ...


class Implementation(_HasTable, Protocol):
    """The constructor of a contract's handlers, which takes the objects that all contracts share."""

    def __call__(self, shared: ServedModel) -> Handlers: ...


class ConfiguredImplementation(_HasTable, Protocol):
    """An implementation that also takes a section of settings, its contract's own."""

    def __call__(self, shared: ServedModel, settings: Settings) -> Handlers: ...


class Served(NamedTuple):
    """A contract, the table of its operations, and the constructor of the handlers that answer them."""

    contract: ModelContract
    table: tuple[Operation, ...]
    handlers: Callable[[ServedModel, Settings, Transcribes], Handlers]


def _served(contract: ModelContract, handlers: Implementation) -> Served:
    return Served(contract, handlers.table, lambda shared, _, __: handlers(shared))


def _served_with_settings(contract: ModelContract, handlers: ConfiguredImplementation) -> Served:
    return Served(contract, handlers.table, lambda shared, settings, _: handlers(shared, settings))


def _openai(shared: ServedModel, settings: Settings, transcriber: Transcribes) -> Handlers:
    return OpenAIHandlers(shared, settings, transcriber)


_ALL: Final = (
    Served(OpenAIContract(), OpenAIHandlers.table, _openai),
    _served_with_settings(TgiContract(), TgiHandlers),
    _served_with_settings(HfContract(), HfHandlers),
    _served(TritonContract(), TritonHandlers),
    _served(AlephAlphaContract(), AlephAlphaHandlers),
    _served_with_settings(MindieContract(), MindieHandlers),
    _served(AnthropicContract(), AnthropicHandlers),
    _served(TokensContract(), TokensHandlers),
    _served(SystemOneContract(), SystemOneHandlers),
    _served(OpenResponsesContract(), OpenResponsesHandlers),
)

CONTRACTS: Final[Mapping[str, Served]] = {served.contract.name: served for served in _ALL}
TABLES: Final[Mapping[str, tuple[Operation, ...]]] = {
    name: served.table for name, served in CONTRACTS.items()
}

MARKING_HEADERS: Final[Mapping[str, str | None]] = {
    name: served.contract.marking_header for name, served in CONTRACTS.items()
}

_OPERATIONS_OF_LINES: Final[Mapping[str, Collection[str]]] = {OpenAIContract.name: OPERATIONS.values()}

_MEDIA_BODY: Final = 10  # times the default limit of bodies, for models that read images and the like

YIELDS: Final[Yields] = {name: served.contract.yields for name, served in CONTRACTS.items()}


def build_app(
    settings: Settings,
    engine: Engine,
    share_metrics: ShareMetrics | None = None,
    transcriber: Transcribes | None = None,
) -> ASGIApp:
    """Return the application over a running engine, which it stops when the server shuts down.

    share_metrics: as of Metrics. transcriber: in place of one that asks the engine for each window.
    Raises UnknownContract if `settings.root` names one; InvalidKeyFile, CannotWriteAuditLog and
    CannotOpenStore; TemplateError for a chat template that is broken.
    """
    check_root(settings.root, list(CONTRACTS))
    access = Access(settings, settings.host, CONTRACTS)
    limit = ConcurrencyLimit(settings.max_concurrent_requests, settings.max_sequences_a_request)
    shared = _shared(settings, engine, limit, share_metrics)
    tracing = _tracing(settings)
    bodies = BodyThread()
    runner: BatchRunner | None = None

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None, None]:
        sharing = asyncio.create_task(shared.metrics.share())
        exporting = nullcontext() if tracing is None else tracing.kept_up()
        running = asyncio.create_task(asyncio.sleep(0) if runner is None else runner.run())
        async with access.kept_up(), exporting, _interpreter_share(engine, limit):
            yield
        sharing.cancel()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await engine.drain(settings.graceful_termination_timeout)
        await engine.stop()
        await shared.background.end()
        shared.workers.shutdown()
        if shared.store is not None:
            shared.store.close()
        bodies.shutdown()

    max_body_bytes = max_body_bytes_of(settings, reads_media=engine.media is not None)
    options = RuntimeOptions(
        max_body_bytes=max_body_bytes,
        max_upload_bytes=settings.upload_limit,
        checks_keys=access.key_check,
        keep_alive_s=settings.stream_keep_alive,
        ignores_unknown_fields=settings.unknown_fields == "ignore",
        counts_ignored_fields=shared.metrics.ignored,
        pages=(HOME_LINK, LINK) if settings.playground else (),
        bodies=bodies,
    )
    shell = Shell(openapi_url=None, lifespan=lifespan)
    shell.state.for_server = {
        OWN_CONNECTIONS: _num_own_connections(settings, engine),
        LOSSES: access.losses,
    }
    server = ContractServer(
        shell,
        options,
        _endpoints(settings),
        lambda contract: served_document(CONTRACTS[contract.name].contract, engine.capabilities),
    )
    app: ASGIApp = server
    if settings.playground:
        contracts = [served.contract for served in CONTRACTS.values()]
        playground = Playground(settings.model_name, engine, contracts, asks_for_key=settings.asks_for_key)
        playground.mount(shell)
        app = playground.with_home(server)
    Probes(engine.health, lambda: limit.in_use).mount(shell)
    Invocations(server, f"/{OpenAIContract.name}", max_body_bytes, bodies).mount(shell)
    _root_document(settings, engine.capabilities).mount(shell)
    if transcriber is None:
        seconds = settings.max_transcription_seconds
        transcriber = Transcriber(engine, shared.workers, max_seconds=seconds)
    handlers = {name: served.handlers(shared, settings, transcriber) for name, served in CONTRACTS.items()}
    mount_all(server, settings.root, handlers)
    if shared.store is not None:
        lines = LineRequests(_line_endpoints(settings, handlers, options), access.key_check)
        runner = _batch_runner(settings, shared, shared.store, lines, max_body_bytes, limit)
    opened = with_cors(access.closed(app, server, (*PROBES, INVOCATIONS)), settings)
    guarded = access.guarded(opened, server, PROBES, shared.metrics.ended, tracing)
    return WebSockets(guarded, server, idle_s=settings.keep_alive_timeout, bodies=bodies)


def mount_all(server: ContractServer, root: Sequence[str], handlers: Mapping[str, Handlers]) -> None:
    """Mount all contracts under their prefixes, and those in `root` also at the root.

    handlers: by contract. Raises UnknownContract for a name in `root` that is not one.
    """
    check_root(root, list(CONTRACTS))
    for name in root:
        leaves = yielded(TABLES, root, YIELDS, name)
        server.mount(CONTRACTS[name].contract, handlers[name], leaves=leaves)
    for name in CONTRACTS:
        server.mount(CONTRACTS[name].contract, handlers[name], prefix=f"/{name}")


class Shell(FastAPI):
    """The part of the application that is no contract's. Its lifespan's state has what the server in front
    must know, whoever starts that: how many connections the application may open itself, and what it lost.
    """

    @override
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" and "state" in scope:
            scope["state"].update(self.state.for_server)
        await super().__call__(scope, receive, send)


def _num_own_connections(settings: Settings, engine: Engine) -> int:
    """Return how many connections answers may need at once: of media that are fetched, and to an engine in
    other processes, one for each sequence and for the health of each server.
    """
    num = MAX_FETCHES if settings.media_domains else 0
    if engine.shares_interpreter:
        return num
    return num + settings.max_concurrent_requests + max(len(settings.engine_url), 1)


def max_body_bytes_of(settings: Settings, *, reads_media: bool) -> int:
    """Return the size of the largest body: images come in it, where a model reads any."""
    if not reads_media or "payload_limit" in settings.model_fields_set:
        return settings.payload_limit
    return _MEDIA_BODY * settings.payload_limit


def _shared(
    settings: Settings, engine: Engine, limit: ConcurrencyLimit, share_metrics: ShareMetrics | None
) -> ServedModel:
    """Return what all contracts share. Raises TemplateError for a chat template that is broken."""
    workers = Workers(settings.validation_workers)
    reader = PartReader(settings, workers)
    shared = ServedModel(
        settings=settings,
        engine=engine,
        model_names=ModelNames(
            settings.model_name,
            settings.model_alias,
            engine.adapters,
            # Those by default are what clients of TGI send in place of a name, and would only confuse others.
            lists_aliases="model_alias" in settings.model_fields_set,
        ),
        chat=ChatCore(
            engine.tokenizer,
            max_total_tokens=engine.model_info.max_total_tokens,
            tool_format=settings.tool_call_parser,
            chat_template=settings.chat_template,
            allows_structured_output=not settings.disable_grammar_support,
            trusts_special_tokens=settings.trust_special_tokens,
            private_salt=private_cache_salt if settings.prefix_caching else None,
            media=PromptMedia(engine.media, settings.max_media_items),
        ),
        workers=workers,
        background=BackgroundTasks(),
        media=MediaPreparation(reader, workers),
        active_requests=ActiveRequests(engine, limit, clamps_tokens=settings.clamp_max_tokens),
        metrics=Metrics(
            engine.model_info,
            engine.stats,
            lambda: limit.in_use,
            model_name=settings.model_name,
            share_metrics=share_metrics,
            memory=engine.tokenizer.memory if settings.prefix_caching else None,
            reads=None if engine.media is None else reader.reads,
        ),
        store=_store(settings),
    )
    shared.chat.check_template()
    shared.active_requests.observe(shared.metrics)
    return shared


def _store(settings: Settings) -> Store | None:
    """Return the store. Raises CannotOpenStore."""
    if settings.no_store:
        return None
    bounds = Bounds(
        settings.max_store_bytes,
        settings.store_records,
        settings.max_store_age_s,
        settings.max_store_file_bytes,
    )
    return Store(settings.store, bounds)


def _batch_runner(
    settings: Settings,
    shared: ServedModel,
    store: Store,
    lines: LineRequests,
    max_line_bytes: int,
    limit: ConcurrencyLimit,
) -> BatchRunner:
    """Return the runner of the store's batches."""
    return BatchRunner(
        store,
        {OpenAIContract.name: OpenAIBatchKind(store, shared.workers, max_line_bytes)},
        lines,
        partial(_has_room_for_lines, shared.engine, limit),
        partial(_is_fit, shared.engine),
        settings.batch_lines,
    )


def _line_endpoints(
    settings: Settings, handlers: Mapping[str, Handlers], options: RuntimeOptions
) -> Mapping[tuple[str, str], Endpoint]:
    """Return the endpoints that lines of batches ask, by their contracts and ids. They check no keys."""
    make, unchecked = _endpoints(settings), dataclasses.replace(options, checks_keys=None)
    return {
        (name, operation.id): make(operation, handlers[name], CONTRACTS[name].contract, unchecked)
        for name, ids in _OPERATIONS_OF_LINES.items()
        for operation in TABLES[name]
        if operation.id in ids
    }


def _has_room_for_lines(engine: Engine, limit: ConcurrencyLimit) -> bool:
    """Return whether a line of a batch may begin: nothing waits, and there is room for requests after it."""
    kept_free = max(limit.limit // 4, min(limit.limit - 1, 1))
    return engine.stats().num_waiting == 0 and limit.limit - limit.in_use > kept_free


async def _is_fit(engine: Engine) -> bool:
    return (await engine.health()).is_healthy


def _interpreter_share(engine: Engine, limit: ConcurrencyLimit) -> AbstractAsyncContextManager[None]:
    """Return the context in which the event loop leaves time to an engine that computes in this process."""
    if not engine.shares_interpreter:
        return nullcontext()
    return InterpreterShare(lambda: limit.in_use > 0).kept()


def _root_document(settings: Settings, capabilities: Capabilities) -> RootDocument:
    at_root, _ = placements(TABLES, settings.root, YIELDS)
    documents = {name: served_document(CONTRACTS[name].contract, capabilities) for name in settings.root}
    return RootDocument(documents, at_root)


def _endpoints(settings: Settings) -> MakeEndpoint:
    if settings.check_responses == "off":
        return Endpoint
    # jsonschema-rs comes with an extra, and a server that judges no answers needs none.
    from verbatim_kit.judge.endpoint import CheckedEndpoints

    return CheckedEndpoints(refuses=settings.check_responses == "fail")


def _tracing(settings: Settings) -> "Tracing | None":
    if not settings.exports_traces:
        return None
    # OpenTelemetry comes with an extra, and a server that exports no traces needs none.
    from handlers.tracing.tracing import Tracing

    return Tracing(settings, settings.model_name)


def with_cors(app: ASGIApp, settings: Settings) -> ASGIApp:
    if not settings.cors_allow_origin:
        return app
    return Cors(
        app,
        allow_origins=settings.cors_allow_origin,
        allow_methods=["GET", "POST", "DELETE"],
        allow_headers=["*"],  # client libraries in a page send headers of their own
        expose_headers=["*"],  # and read what answers tell of themselves
    )
