"""The command `verbatim serve`."""

import argparse
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.model.loading.checkpoint.directory import own_directory
from engine.port.errors import EngineError
from handlers.commands.command_parser import CommandParser
from handlers.commands.ending import fail
from handlers.commands.topic_help import add_topic_help
from handlers.engine_starter import check_own_engine, set_environment
from handlers.process.exit_status import ExitStatus
from handlers.process.fitness import UnfitProcess, check_process
from handlers.process.gc_tuning import collector_off
from handlers.process.new_threads import NewThreads
from handlers.process.runtime_environment import runtime_environment
from handlers.process.standard_output import CannotWrite, print_as_json, say
from handlers.process.watchdog import Watchdog
from handlers.settings.command_line import add_settings, read_settings
from handlers.settings.other_programs.reading import check_arguments
from handlers.settings.settings import Settings
from handlers.settings.several_gpus import HANDED_ON
from handlers.settings.start_warnings import start_warnings
from handlers.shared_settings.reading import with_flags
from handlers.version import VERSION

_log = logging.getLogger(__name__)


def add(commands: "argparse._SubParsersAction[CommandParser]") -> None:
    """Add the command to the subparsers."""
    serve = commands.add_parser(
        "serve",
        help="serve a model",
        usage="%(prog)s [MODEL] [options]",
        description="Serve a model until stopped.",
        add_help=False,
    )
    add_topic_help(serve)
    serve.flags = add_settings(serve)
    serve.set_defaults(run=_serve)


def _serve(options: argparse.Namespace) -> int:
    return serve_as_given(vars(options), lambda: read_settings(options))


def serve_as_given(given: Mapping[str, Any], read: Callable[[], Settings]) -> int:
    """Run a server until it is stopped, and return the exit status.

    given: parsed command-line options by name, with those of other programs. read: returns the settings; may
    raise ValueError.
    """
    try:
        settings = read()
        handed_on = HANDED_ON if settings.tensor_parallel_size > 1 else ()
        warnings = check_arguments(given, os.environ, handed_on)
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
        own_directory(settings.model_source, settings.revision)
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
    from handlers.serving.listener import CannotListen
    from handlers.serving.serve import serve
    from verbatim_kit.runtime.root_routes import UnknownContract

    try:
        return serve(settings, watchdog)
    except (UnknownContract, InvalidKeyFile) as error:
        return fail(error, ExitStatus.USAGE)
    except EngineError as error:
        return fail(with_flags(str(error), Settings.model_fields), ExitStatus.FAILED)
    except (
        BadCertificate,
        CannotListen,
        CannotWrite,
        CannotWriteAuditLog,
        TemplateError,
    ) as error:
        return fail(error, ExitStatus.FAILED)
