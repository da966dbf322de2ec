"""The command `verbatim check`."""

import argparse
from typing import Final

from engine.port.errors import EngineError
from handlers.commands.command_parser import CommandParser
from handlers.commands.ending import fail
from handlers.engine_starter import check_own_engine, engine_config, set_environment
from handlers.process.exit_status import ExitStatus
from handlers.process.fitness import UnfitProcess, check_process
from handlers.process.standard_output import say
from handlers.settings.command_line import add_settings, read_settings
from handlers.settings.settings import Settings
from handlers.settings.topics import COMPUTING

# The settings that decide whether and how a model is served; others, such as the port, have no effect here.
_SETTINGS: Final = (
    *COMPUTING,
    *("max_concurrent_requests", "chat_template", "tool_call_parser", "prefix_caching", "speculate"),
)


def add(commands: "argparse._SubParsersAction[CommandParser]") -> None:
    """Add the command to the subparsers."""
    check = commands.add_parser(
        "check",
        help="find out whether a model would be served, without reading its weights",
        usage="%(prog)s [MODEL] [options]",
        description="Find out from a model's configuration and the headers of its weights whether `verbatim "
        "serve` with the same options would serve it, how, and with how much memory. The exit status is 0 if "
        "it would, and 1 if not.",
    )
    check.add_argument("--json", action="store_true", help="print the result as one JSON object")
    check.flags = add_settings(check, only=("model", "config", *_SETTINGS))
    check.set_defaults(run=_check)


def _check(options: argparse.Namespace) -> int:
    try:
        settings = read_settings(options)
    except ValueError as error:
        return fail(error, ExitStatus.USAGE)
    if settings.is_over_servers:
        return fail(f"--engine: {settings.engine} loads its models itself", ExitStatus.USAGE)
    set_environment(settings)
    return _print(settings, as_json=options.json)


def _print(settings: Settings, *, as_json: bool) -> int:
    try:
        check_process()
        check_own_engine()
    except (EngineError, UnfitProcess) as error:
        return fail(error, ExitStatus.FAILED)
    # Imported after the options are checked, since the imports take seconds.
    from handlers.serving.checked_model import check_model

    try:
        checked = check_model(settings, engine_config(settings))
    except EngineError as error:
        return fail(error, ExitStatus.FAILED)
    say(checked.as_json() if as_json else checked.in_words(settings.model_name))
    return ExitStatus.STOPPED if checked.refusal is None else ExitStatus.FAILED
