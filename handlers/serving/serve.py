"""The run of a server: bind the port, load the model, print the start-up table, and serve until stopped."""

import asyncio
import socket

from handlers.access.access import check_access
from handlers.access.connections.tls import RenewedCertificate, served_certificate
from handlers.chat.summary import chat_summary
from handlers.composition import CONTRACTS, build_app
from handlers.engine_starter import StartEngine, engine_starter
from handlers.process.end_by_signal import STOP, ended_by
from handlers.process.gc_tuning import freeze_imports
from handlers.process.log import format_all_as_json, set_up_log
from handlers.process.standard_output import say
from handlers.process.watchdog import Watchdog
from handlers.serving.api_workers.engine_process import serve_engine
from handlers.serving.listener import share_port, start_listening, take_port
from handlers.serving.server_run import new_event_loop, run, say_progress
from handlers.serving.start_up_table import start_up_table
from handlers.settings.settings import Settings
from verbatim_kit.runtime.root_routes import check_root


def serve(settings: Settings, watchdog: Watchdog) -> int:
    """Run a server, and return the exit status when it has stopped or its engine has died.

    Raises UnknownContract, InvalidKeyFile, CannotWriteAuditLog, BadCertificate, CannotListen, CannotWrite,
    CannotOpenStore, TemplateError or ModelNotSupported if it cannot start.
    """
    check_root(settings.root, list(CONTRACTS))
    check_access(settings, CONTRACTS)
    set_up_log(settings.log_level, settings.logs_json)
    tls = served_certificate(settings)
    with take_port(settings.host, settings.port) as listener, ended_by(*STOP):
        # This may import torch and transformers, which takes seconds. So it comes after all checks that do
        # not need them, and outside the event loop, which would delay signals.
        start_engine = engine_starter(settings)
        if settings.logs_json:
            format_all_as_json()
        freeze_imports()
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            if settings.api_workers:
                with share_port(listener, settings.api_workers) as listeners:
                    return runner.run(serve_engine(settings, start_engine, listeners, watchdog))
            return runner.run(_serve(settings, start_engine, listener, tls, watchdog))


async def _serve(
    settings: Settings,
    start_engine: StartEngine,
    listener: socket.socket,
    tls: RenewedCertificate | None,
    watchdog: Watchdog,
) -> int:
    engine = await start_engine(say_progress)
    try:
        app = build_app(settings, engine)
        chat = chat_summary(
            engine.tokenizer, chat_template=settings.chat_template, tool_format=settings.tool_call_parser
        )
        say(start_up_table(settings, engine.model_info, engine.capabilities, chat))
        start_listening(listener, settings.host, settings.port)
        return await run(settings, app, engine, listener, tls, watchdog)
    finally:
        await engine.stop()
