"""The command `verbatim`."""

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import entry_points, version

from engine.instructions import limit_libraries
from handlers.garbage import collector_off
from handlers.options import add_model_argument, add_options, read_settings, settings_table
from handlers.settings import Settings

_COMMANDS = "verbatim.commands"  # entry points: each is given the subparsers, to add a command of its own
_USAGE_ERROR = 2  # argparse's own status for a wrong option
_INTERRUPTED = 130  # what shells report for SIGINT


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit status."""
    given = _parser().parse_args(arguments)
    try:
        status: int = given.run(given)
    except KeyboardInterrupt:
        return _INTERRUPTED
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="verbatim", description="An LLM inference server that keeps its API contracts to the letter."
    )
    parser.add_argument("--version", action="version", version=f"verbatim {version('verbatim')}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    serve = commands.add_parser(
        "serve", help="serve a model", description="Serve a model until told to stop."
    )
    add_options(serve)
    add_model_argument(serve)
    serve.set_defaults(run=_serve)
    contracts = commands.add_parser(
        "contracts",
        help="list which operation answers which path",
        description="List what answers which path.",
    )
    add_options(contracts, only=("root",))
    contracts.set_defaults(run=_contracts)
    settings = commands.add_parser("settings", help="list all settings as a Markdown table")
    settings.set_defaults(run=_settings)
    for further in entry_points(group=_COMMANDS):
        further.load()(commands)
    return parser


def _serve(given: argparse.Namespace) -> int:
    try:
        settings = read_settings(given)
    except ValueError as error:
        return _fail(error, _USAGE_ERROR)
    with collector_off():
        return _serve_with(settings)


def _serve_with(settings: Settings) -> int:
    limit_libraries(settings.isa)
    # torch and transformers take seconds to import, which `--help` should not.
    from engine.errors import EngineError
    from handlers.placement import UnknownContract
    from handlers.serve import CannotListen, serve

    try:
        serve(settings)
    except UnknownContract as error:
        return _fail(error, _USAGE_ERROR)
    except (CannotListen, EngineError) as error:
        return _fail(error, 1)
    return 0


def _contracts(given: argparse.Namespace) -> int:
    from handlers.app import CONTRACTS, TABLES
    from handlers.placement import check_root, placements

    try:
        root = read_settings(given).root
        check_root(root, list(CONTRACTS))
    except ValueError as error:
        return _fail(error, _USAGE_ERROR)
    at_root, prefixed = placements(TABLES, root)
    width = max(len(placement.path) for placement in (*at_root, *prefixed)) + 2
    for path, contract, operation in (*at_root, *prefixed):
        print(f"{operation.method:7}{path:{width}}{contract}.{operation.id}")
    return 0


def _settings(given: argparse.Namespace) -> int:
    print(settings_table())
    return 0


def _fail(error: Exception, status: int) -> int:
    for line in str(error).splitlines():
        print(f"verbatim: error: {line}", file=sys.stderr)
    return status
