"""The command `verbatim`."""

import argparse
import logging
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import entry_points
from typing import Any

from engine.demo_model import DEMO_MODEL
from engine.errors import EngineError
from engine.model.directory import own_directory
from engine.native.instructions import isa_names, limit_libraries
from handlers.process.exit_status import ExitStatus
from handlers.process.gc_tuning import collector_off
from handlers.process.new_threads import NewThreads
from handlers.process.runtime_environment import runtime_environment
from handlers.process.standard_output import CannotWrite, complain, flush, print_as_json, say
from handlers.process.watchdog import Watchdog
from handlers.settings.command_line import add_model_argument, add_options, read_settings, settings_table
from handlers.settings.settings import Settings
from handlers.tgi_family.launcher.arguments import WITHOUT_SETTING
from handlers.tgi_family.launcher.reading import add_arguments, add_letters, check_arguments
from handlers.version import VERSION

_COMMANDS = "verbatim.commands"  # entry points: each is given the subparsers, to add a command of its own

_log = logging.getLogger(__name__)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""

    def run() -> int:
        given = _parser().parse_args(arguments)
        status: int = given.run(given)
        return status

    return exit_status(run)


def exit_status(run: Callable[[], int]) -> int:
    """Return the exit status of a command, also when it is interrupted or its output cannot be written."""
    try:
        try:
            status = run()
        finally:
            flush()  # what commands of others have printed
    except KeyboardInterrupt:
        return ExitStatus.INTERRUPTED
    except CannotWrite as error:
        return _fail(error, ExitStatus.FAILED)
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="verbatim", description="An LLM inference server that keeps its API contracts to the letter."
    )
    parser.add_argument("--version", action="version", version=f"verbatim {VERSION}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    serve = commands.add_parser("serve", help="serve a model", description="Serve a model until stopped.")
    add_options(serve)
    add_model_argument(serve)
    group = serve.add_argument_group("arguments of text-generation-launcher that no option above stands for")
    add_arguments(group, WITHOUT_SETTING, {})
    add_letters(group)
    serve.set_defaults(run=_serve)
    contracts = commands.add_parser(
        "contracts",
        help="list the operation that answers each path",
        description="List the operation that answers each path.",
    )
    add_options(contracts, only=("root",))
    contracts.set_defaults(run=_contracts)
    _add_keys(commands)
    _add_build_kernels(commands)
    settings = commands.add_parser("settings", help="list all settings as a Markdown table")
    settings.set_defaults(run=_settings)
    for further in entry_points(group=_COMMANDS):
        further.load()(commands)
    return parser


def _add_keys(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    keys = commands.add_parser(
        "keys", help="create an API key", description="Create API keys for --api-keys-file."
    )
    new = keys.add_subparsers(title="commands", required=True, metavar="COMMAND").add_parser(
        "new",
        help="create a key",
        description="Create a key. The key is printed once, to standard error; its entry for the key file "
        "goes to standard output, as in: verbatim keys new ci >> keys.toml",
    )
    new.add_argument("name", metavar="NAME", help="name of the key in logs")
    new.add_argument("--contracts", metavar="A,B", help="contracts that the key may use; all by default")
    new.add_argument(
        "--requests-per-minute", type=int, metavar="N", help="most requests per minute; no limit by default"
    )
    new.add_argument(
        "--tokens-per-minute",
        type=int,
        metavar="N",
        help="most tokens per minute, prompts and answers together; no limit by default",
    )
    new.add_argument(
        "--expires",
        metavar="TIME",
        help="time when the key expires, such as 2030-01-31T00:00:00Z; never by default",
    )
    new.set_defaults(run=_new_key)


def _add_build_kernels(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser(
        "build-kernels",
        help="compile code for processors ahead of time",
        description="Compile the code that `verbatim serve` would otherwise compile when it first starts, "
        "for example for an image without a compiler. The server finds it through --kernel-cache or "
        "VERBATIM_KERNEL_CACHE.",
    )
    command.add_argument(
        "--isa",
        metavar="A,B",
        help=f"instruction sets to compile for, or all: {', '.join(isa_names()[1:])}. Each set becomes one "
        "library, and a server loads the one with the best set that it may use; defaults to this processor's "
        "set",
    )
    command.add_argument(
        "--march",
        metavar="NAME",
        help="the compiler's -march, on architectures other than x86; native by default",
    )
    command.add_argument(
        "--output", metavar="DIR", help="folder to write to; defaults to the one that a server searches"
    )
    command.set_defaults(run=_build_kernels)


def _build_kernels(given: argparse.Namespace) -> int:
    from engine.native.build_kernels import build_kernels
    from engine.native.compiler import CannotCompile

    try:
        for path in build_kernels(given.isa, given.march, given.output):
            say(str(path))
    except ValueError as error:
        return _fail(error, ExitStatus.USAGE)
    except (CannotCompile, OSError, RuntimeError) as error:
        return _fail(" ".join(str(error).split()), ExitStatus.FAILED)
    return 0


def _new_key(given: argparse.Namespace) -> int:
    from handlers.access.keys.new_key import as_toml, new_key

    contracts = None if given.contracts is None else tuple(given.contracts.split(","))
    try:
        key = new_key(
            given.name, contracts, given.requests_per_minute, given.tokens_per_minute, given.expires
        )
    except ValueError as error:
        return _fail(error, ExitStatus.USAGE)
    print(f"the key, which is shown this once: {key.text}", file=sys.stderr)
    print(as_toml(key.entry))
    return 0


def _serve(given: argparse.Namespace) -> int:
    return serve_as_given(vars(given), lambda: read_settings(given))


def serve_as_given(given: Mapping[str, Any], read: Callable[[], Settings]) -> int:
    """Serve until stopped, and return the exit status.

    given: the arguments of TGI's launcher by name, among others. read: the reader of the settings, which may
    raise ValueError.
    """
    try:
        settings, warnings = read(), check_arguments(given, os.environ)
    except ValueError as error:
        return _fail(error, ExitStatus.USAGE)
    print_as_json(settings.json_output)
    if "env" in given:
        say(runtime_environment())
    threads, watchdog = NewThreads(), Watchdog()
    with collector_off():
        status = _serve_with(settings, warnings, watchdog)
    status = threads.leave(status)
    watchdog.disarm()  # nothing is left that could keep the process
    return status


def _serve_with(settings: Settings, warnings: Sequence[str], watchdog: Watchdog) -> int:
    limit_libraries(settings.isa)
    if settings.kernel_cache is not None:
        os.environ["VERBATIM_KERNEL_CACHE"] = settings.kernel_cache
    if settings.huggingface_hub_cache is not None:
        os.environ["HF_HUB_CACHE"] = settings.huggingface_hub_cache  # before any import of huggingface_hub
    try:
        own_directory(settings.model or str(DEMO_MODEL), settings.revision)
        say(f"verbatim {VERSION}: loading {settings.model_name}")
        for warning in warnings:
            say(f"  warning   {warning}", "WARNING")
    except (CannotWrite, EngineError) as error:
        return _fail(error, ExitStatus.FAILED)
    # What serves takes seconds to import, which a command that cannot succeed should not.
    from handlers.access.audit_log import CannotWriteAuditLog
    from handlers.access.keys.key_file import InvalidKeyFile
    from handlers.chat.errors import TemplateError
    from handlers.http.tls import BadCertificate
    from handlers.runtime.root_routes import UnknownContract
    from handlers.serving.listener import CannotListen
    from handlers.serving.serve import serve

    try:
        return serve(settings, watchdog)
    except KeyboardInterrupt:
        return ExitStatus.INTERRUPTED
    except (UnknownContract, InvalidKeyFile) as error:
        return _fail(error, ExitStatus.USAGE)
    except (
        BadCertificate,
        CannotListen,
        CannotWrite,
        CannotWriteAuditLog,
        EngineError,
        TemplateError,
    ) as error:
        return _fail(error, ExitStatus.FAILED)
    except Exception as error:  # nobody foresaw it: a bug, or a library in trouble
        _log.debug("the server ended by an exception", exc_info=error)
        words = " ".join(str(error).split())
        return _fail(f"{type(error).__name__}: {words}" if words else type(error).__name__, ExitStatus.FAILED)


def _contracts(given: argparse.Namespace) -> int:
    from handlers.app import CONTRACTS, MARKING_HEADERS, TABLES
    from handlers.runtime.root_routes import check_root, marked_placements, placements

    try:
        root = read_settings(given).root
        check_root(root, list(CONTRACTS))
    except ValueError as error:
        return _fail(error, ExitStatus.USAGE)
    at_root, prefixed = placements(TABLES, root)
    placed = (*at_root, *marked_placements(TABLES, root, MARKING_HEADERS), *prefixed)
    width = max(len(placement.path) for placement in placed) + 2
    lines = [
        f"{operation.method:7}{path:{width}}{contract}.{operation.id}"
        + (f" (with the header {header})" if header else "")
        for path, contract, operation, header in placed
    ]
    say("\n".join(lines))
    return 0


def _settings(given: argparse.Namespace) -> int:
    say(settings_table())
    return 0


def _fail(error: object, status: int) -> int:
    complain(str(error))
    return status
