"""The command `verbatim serve`."""

import argparse
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.model.loading.checkpoint.directory import own_directory
from engine.port.errors import EngineError
from handlers.commands.ending import fail
from handlers.engine_starter import check_own_engine, model_source, set_environment
from handlers.process.exit_status import ExitStatus
from handlers.process.fitness import UnfitProcess, check_process
from handlers.process.gc_tuning import collector_off
from handlers.process.new_threads import NewThreads
from handlers.process.runtime_environment import runtime_environment
from handlers.process.standard_output import CannotWrite, print_as_json, say
from handlers.process.watchdog import Watchdog
from handlers.settings.command_line import add_model_argument, add_options, read_settings
from handlers.settings.settings import Settings
from handlers.settings.start_warnings import start_warnings
from handlers.tgi.launcher.arguments import WITHOUT_SETTING
from handlers.tgi.launcher.reading import add_arguments, add_letters, check_arguments
from handlers.version import VERSION

_log = logging.getLogger(__name__)


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the subparsers."""
    serve = commands.add_parser("serve", help="serve a model", description="Serve a model until stopped.")
    add_options(serve)
    add_model_argument(serve)
    group = serve.add_argument_group("other arguments of text-generation-launcher, for compatibility")
    add_arguments(group, WITHOUT_SETTING, {})
    add_letters(group)
    serve.set_defaults(run=_serve)


def _serve(options: argparse.Namespace) -> int:
    return serve_as_given(vars(options), lambda: read_settings(options))


def serve_as_given(given: Mapping[str, Any], read: Callable[[], Settings]) -> int:
    """Run a server until it is stopped, and return the exit status.

    given: parsed command-line options by name, with those of TGI's launcher. read: returns the settings; may
    raise ValueError.
    """
    try:
        settings, warnings = read(), check_arguments(given, os.environ)
        warnings += start_warnings(settings, os.environ)
    except ValueError as error:
        return fail(error, ExitStatus.USAGE)
    print_as_json(settings.logs_json)
    if "env" in given:
        say(runtime_environment())
    threads, watchdog = NewThreads(), Watchdog()
    with collector_off():
        status = _serve_with(settings, warnings, watchdog)
    status = threads.leave(status)
    watchdog.disarm()  # no thread is left that could block the exit
    return status


def _serve_with(settings: Settings, warnings: Sequence[str], watchdog: Watchdog) -> int:
    set_environment(settings)
    try:
        check_process()
        own_directory(model_source(settings), settings.revision)
        if not settings.is_over_servers:
            check_own_engine()
        say(f"verbatim {VERSION}: loading {settings.model_name}")
        for warning in warnings:
            say(f"  warning   {warning}", "WARNING")
    except (CannotWrite, EngineError, UnfitProcess) as error:
        return fail(error, ExitStatus.FAILED)
    try:
        return _run_server(settings, watchdog)
    except KeyboardInterrupt:
        return ExitStatus.INTERRUPTED
    except Exception as error:  # unexpected: a bug, or a failing library
        _log.debug("the server ended by an exception", exc_info=error)
        words = " ".join(str(error).split())
        return fail(f"{type(error).__name__}: {words}" if words else type(error).__name__, ExitStatus.FAILED)


def _run_server(settings: Settings, watchdog: Watchdog) -> int:
    # Imported here, since these imports take seconds and a wrong option should fail at once.
    from handlers.access.keys.key_file import InvalidKeyFile
    from handlers.access.visits.record_log import CannotWriteAuditLog
    from handlers.chat.errors import TemplateError
    from handlers.http.tls import BadCertificate
    from handlers.runtime.root_routes import UnknownContract
    from handlers.serving.listener import CannotListen
    from handlers.serving.serve import serve

    try:
        return serve(settings, watchdog)
    except (UnknownContract, InvalidKeyFile) as error:
        return fail(error, ExitStatus.USAGE)
    except (
        BadCertificate,
        CannotListen,
        CannotWrite,
        CannotWriteAuditLog,
        EngineError,
        TemplateError,
    ) as error:
        return fail(error, ExitStatus.FAILED)
