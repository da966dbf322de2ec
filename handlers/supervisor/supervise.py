"""The run of a supervisor: the application of several models, and their processes."""

import asyncio
import socket
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Final

import aiohttp
from fastapi import FastAPI
from starlette.types import ASGIApp

from handlers.access.access import Access, check_access
from handlers.access.connections.tls import RenewedCertificate, served_certificate
from handlers.access.keys.key_check import KeyCheck
from handlers.access.keys.keyring import Keyring
from handlers.access.visits.record_log import LOSSES
from handlers.composition import CONTRACTS, TABLES, Shell, max_body_bytes_of, mount_all, with_cors
from handlers.operations.elsewhere import NoHandlers
from handlers.process.end_by_signal import STOP, ended_by
from handlers.process.gc_tuning import freeze_imports
from handlers.process.log import format_all_as_json, set_up_log
from handlers.process.standard_output import say
from handlers.process.watchdog import Watchdog
from handlers.root_paths.invocations import INVOCATIONS
from handlers.root_paths.playground.home import HOME_LINK
from handlers.root_paths.playground.page import LINK
from handlers.root_paths.probes import PROBES, Probes
from handlers.serving.listener import start_listening, take_port
from handlers.serving.server_run import new_event_loop, run
from handlers.settings.settings import Settings
from handlers.supervisor.admin import AdminContract, AdminHandlers
from handlers.supervisor.gateway import ByPath, Gateway, ModelEndpoint, Pages
from handlers.supervisor.model import Model
from handlers.supervisor.models import Models
from handlers.supervisor.own_answers import OwnAnswers
from verbatim_kit.http.descriptors import OWN_CONNECTIONS
from verbatim_kit.runtime.body_thread import BodyThread
from verbatim_kit.runtime.contract import Contract
from verbatim_kit.runtime.endpoint import Endpoint
from verbatim_kit.runtime.operation import Handlers, Operation
from verbatim_kit.runtime.root_routes import check_root
from verbatim_kit.runtime.runtime_options import RuntimeOptions
from verbatim_kit.runtime.server import ContractServer

_CONNECT_TIMEOUT_S: Final = 5.0
_ADMIN_KEY: Final = "admin-key"  # its name in the audit log
_AUTO_HEADERS: Final = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")


def supervise(
    settings: Settings, models: Mapping[str, Settings], program: Sequence[str], watchdog: Watchdog
) -> int:
    """Serve several models until stopped, and return the exit status.

    models: the settings of their processes, by name. program: as of Model. Raises UnknownContract,
    InvalidKeyFile, CannotWriteAuditLog, BadCertificate, CannotListen or CannotWrite if it cannot start.
    """
    check_root(settings.root, list(CONTRACTS))
    check_access(settings, CONTRACTS)
    set_up_log(settings.log_level, settings.logs_json)
    tls = served_certificate(settings)
    with take_port(settings.host, settings.port) as listener, ended_by(*STOP):
        if settings.logs_json:
            format_all_as_json()
        freeze_imports()
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            return runner.run(_serve(settings, models, program, listener, tls, watchdog))


async def _serve(
    settings: Settings,
    sources: Mapping[str, Settings],
    program: Sequence[str],
    listener: socket.socket,
    tls: RenewedCertificate | None,
    watchdog: Watchdog,
) -> int:
    models = Models(settings)
    async with process_session() as session:
        models.models = [
            Model(name, source, program, session, models.changed) for name, source in sources.items()
        ]
        app = build_supervisor(settings, models, session)
        say("\n".join(f"  model     {model.name}, from its first request" for model in models.models))
        start_listening(listener, settings.host, settings.port)
        return await run(settings, app, models, listener, tls, watchdog)


def process_session() -> aiohttp.ClientSession:
    """Return a client that sends and receives bodies and headers as they are, for as long as it takes."""
    return aiohttp.ClientSession(
        # The default resolver, where aiodns is installed, leaves a thread that never ends.
        connector=aiohttp.TCPConnector(limit=0, resolver=aiohttp.ThreadedResolver()),
        timeout=aiohttp.ClientTimeout(total=None, connect=_CONNECT_TIMEOUT_S),
        auto_decompress=False,
        skip_auto_headers=_AUTO_HEADERS,
        cookie_jar=aiohttp.DummyCookieJar(),
    )


def build_supervisor(settings: Settings, models: Models, session: aiohttp.ClientSession) -> ASGIApp:
    """Return the application over the models, which it stops when the server shuts down.

    Raises UnknownContract, InvalidKeyFile or CannotWriteAuditLog.
    """
    access = Access(settings, settings.host, CONTRACTS)
    bodies = BodyThread()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None, None]:
        tidying = asyncio.create_task(models.keep_tidy())
        async with access.kept_up():
            yield
        tidying.cancel()
        await models.drain(settings.graceful_termination_timeout)
        bodies.shutdown()

    shell = Shell(openapi_url=None, lifespan=lifespan)
    shell.state.for_server = {
        OWN_CONNECTIONS: len(models.models) * settings.max_concurrent_requests,
        LOSSES: access.losses,
    }
    options = RuntimeOptions(
        max_body_bytes=max_body_bytes_of(settings, reads_media=True),
        max_upload_bytes=settings.upload_limit,
        checks_keys=access.key_check,
        pages=(HOME_LINK, LINK) if settings.playground else (),
        bodies=bodies,
    )
    gateway = Gateway(models, session, lambda *given: server.refusal(*given), options, access.key_check)
    own = OwnAnswers(models, session).by_contract()
    admin_keys = KeyCheck(Keyring(settings.admin_key, single_name=_ADMIN_KEY))

    def endpoint(
        operation: Operation, handlers: Handlers, contract: Contract, options: RuntimeOptions
    ) -> Endpoint:
        if isinstance(contract, AdminContract):
            return Endpoint(operation, handlers, contract, replace(options, checks_keys=admin_keys))
        is_own = operation.id in own.get(contract.name, {})
        return ModelEndpoint(operation, handlers, contract, options, gateway, is_own=is_own)

    server = ContractServer(shell, options, endpoint)
    without_models = {name: NoHandlers(table, own.get(name, {})) for name, table in TABLES.items()}
    mount_all(server, settings.root, without_models)
    if settings.admin_key is not None:
        server.mount(AdminContract(), AdminHandlers(models), f"/{AdminContract.name}")
    Probes(models.health, lambda: models.num_requests).mount(shell)
    opened = access.closed(Pages(server, gateway), server, (*PROBES, INVOCATIONS))
    opened = with_cors(opened, settings)
    return ByPath(access.guarded(opened, server, PROBES, lambda visit: None, None), models)
