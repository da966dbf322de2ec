"""The command `verbatim doctor`."""

import argparse

from engine.port.errors import EngineError
from handlers.commands.command_parser import CommandParser
from handlers.commands.ending import fail
from handlers.engine_starter import check_own_engine, engine_config, set_environment
from handlers.process.exit_status import ExitStatus
from handlers.process.fitness import UnfitProcess, check_process
from handlers.process.standard_output import say
from handlers.settings.command_line import add_settings, read_settings
from handlers.settings.topics import COMPUTING


def add(commands: "argparse._SubParsersAction[CommandParser]") -> None:
    """Add the command to the subparsers."""
    doctor = commands.add_parser(
        "doctor",
        help="measure each way in which a model's steps can be computed here",
        usage="%(prog)s [MODEL] [options]",
        description="Load a model as `verbatim serve` with the same options would, try what takes the place "
        "of its own code, and measure each of these in addition to the ones before: tokens per second of 1, "
        "8, 32 and 128 sequences, and the time to a first token, next to what the memory's bandwidth allows. "
        "The table is one to send with a report. It takes a minute or more, and the whole machine.",
    )
    doctor.add_argument("--json", action="store_true", help="print the result as one JSON object")
    doctor.flags = add_settings(doctor, only=("model", "config", *COMPUTING))
    doctor.set_defaults(run=_examine)


def _examine(options: argparse.Namespace) -> int:
    try:
        settings = read_settings(options)
    except ValueError as error:
        return fail(error, ExitStatus.USAGE)
    if settings.is_over_servers:
        return fail(f"--engine: {settings.engine} computes in servers of its own", ExitStatus.USAGE)
    set_environment(settings)
    try:
        check_process()
        check_own_engine()
        # Imported after the options are checked, since the imports take seconds.
        from handlers.serving.ladder_table import examine

        say(examine(settings, engine_config(settings), as_json=options.json))
    except (EngineError, UnfitProcess) as error:
        return fail(error, ExitStatus.FAILED)
    return ExitStatus.STOPPED
