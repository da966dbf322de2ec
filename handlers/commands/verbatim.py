"""The commands of `verbatim`, and those that other distributions add to it."""

from collections.abc import Sequence
from importlib.metadata import entry_points

from handlers.commands import (
    build_kernels,
    check,
    completion,
    contracts,
    doctor,
    keys,
    ray,
    run_batch,
    serve,
    settings,
)
from handlers.commands.command_parser import CommandParser
from handlers.commands.ending import exit_status
from handlers.version import VERSION

_OF_OTHERS = "verbatim.commands"  # entry points: each is given the subparsers, to add a command of its own


def run(arguments: Sequence[str] | None) -> int:
    """Run a command and return its exit status. arguments: None for those of the process."""

    def run_given() -> int:
        given = _parser().parse_args(arguments)
        status: int = given.run(given)
        return status

    return exit_status(run_given)


def _parser() -> CommandParser:
    parser = CommandParser(
        prog="verbatim", description="An LLM inference server that keeps its API contracts to the letter."
    )
    parser.add_argument("-V", "--version", action="version", version=f"verbatim {VERSION}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for command in (serve, run_batch, check, doctor, ray, contracts, keys, build_kernels, settings):
        command.add(commands)
    completion.add(commands, lambda: parser)
    for further in entry_points(group=_OF_OTHERS):
        further.load()(commands)
    return parser
