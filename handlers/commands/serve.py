"""The command `verbatim serve`."""

import argparse
import logging
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

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
from handlers.settings.several_models import sources_by_name
from handlers.settings.start_warnings import start_warnings
from handlers.shared_settings.reading import with_flags
from handlers.version import VERSION

MODEL_PROGRAM: Final = (sys.executable, "-P", "-m", "handlers.commands.serve_model")
"""The command that serves one of several models. The descriptor of a file with pickled settings follows."""

_log = logging.getLogger(__name__)


def add(commands: "argparse._SubParsersAction[CommandParser]") -> None:
    """Add the command to the subparsers."""
    serve = commands.add_parser(
        "serve",
        help="serve a model",
        usage="%(prog)s [MODEL ...] [options]",
        description="Serve a model, or several, until stopped.",
        add_help=False,
    )
    add_topic_help(serve)
    serve.flags = add_settings(serve, takes_several=True)
    serve.set_defaults(run=_serve)


def _serve(options: argparse.Namespace) -> int:
    return serve_as_given(vars(options), lambda given: read_settings(argparse.Namespace(**given)))


def serve_as_given(given: Mapping[str, Any], read: Callable[[Mapping[str, Any]], Settings]) -> int:
    """Run a server until it is stopped, and return the exit status.

    given: parsed command-line options by name, with those of other programs. read: returns the settings from
    options; may raise ValueError.
    """
    try:
        settings = read(given)
        models = _settings_of_models(settings, given, read)
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
        status = _serve_with(settings, models, warnings, watchdog)
    status = threads.leave(status)
    watchdog.disarm()  # no thread is left that could block the exit
    return status


def _settings_of_models(
    settings: Settings, given: Mapping[str, Any], read: Callable[[Mapping[str, Any]], Settings]
) -> Mapping[str, Settings]:
    """Return the settings of each model's own process, by its name; none where this process serves its one
    model itself. Raises ValueError.
    """
    if not settings.is_supervised:
        return {}
    if not settings.models:
        return {settings.model_name: settings}
    return {
        name: read({**given, "models": (), "model": source, "served_model_name": name})
        for name, source in sources_by_name(settings.models).items()
    }


def _serve_with(
    settings: Settings, models: Mapping[str, Settings], warnings: Sequence[str], watchdog: Watchdog
) -> int:
    set_environment(settings)
    try:
        check_process()
        for one in models.values() or (settings,):
            own_directory(one.model_source, one.revision)
            if not one.is_over_servers:
                check_own_engine()
        say(f"verbatim {VERSION}: {_loads(settings, models)}")
        for warning in warnings:
            say(f"  warning   {warning}", "WARNING")
    except (CannotWrite, EngineError, UnfitProcess) as error:
        return fail(error, ExitStatus.FAILED)
    try:
        return _run_server(settings, models, watchdog)
    except KeyboardInterrupt:
        return ExitStatus.INTERRUPTED
    except Exception as error:  # unexpected: a bug, or a failing library
        _log.debug("the server ended by an exception", exc_info=error)
        words = " ".join(str(error).split())
        return fail(f"{type(error).__name__}: {words}" if words else type(error).__name__, ExitStatus.FAILED)


def _loads(settings: Settings, models: Mapping[str, Settings]) -> str:
    return f"models on demand: {', '.join(models)}" if models else f"loading {settings.model_name}"


def _run_server(settings: Settings, models: Mapping[str, Settings], watchdog: Watchdog) -> int:
    # Imported here, since these imports take seconds and a wrong option should fail at once.
    from handlers.access.connections.tls import BadCertificate
    from handlers.access.keys.key_file import InvalidKeyFile
    from handlers.access.visits.record_log import CannotWriteAuditLog
    from handlers.chat.errors import TemplateError
    from handlers.serving.listener import CannotListen
    from handlers.store.record import CannotOpenStore
    from verbatim_kit.runtime.root_routes import UnknownContract

    try:
        if models:
            from handlers.supervisor.supervise import supervise

            return supervise(settings, models, MODEL_PROGRAM, watchdog)
        from handlers.serving.serve import serve

        return serve(settings, watchdog)
    except (UnknownContract, InvalidKeyFile) as error:
        return fail(error, ExitStatus.USAGE)
    except EngineError as error:
        return fail(with_flags(str(error), Settings.model_fields), ExitStatus.FAILED)
    except (
        BadCertificate,
        CannotListen,
        CannotOpenStore,
        CannotWrite,
        CannotWriteAuditLog,
        TemplateError,
    ) as error:
        return fail(error, ExitStatus.FAILED)
