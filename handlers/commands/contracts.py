"""The command `verbatim contracts`."""

import argparse

from handlers.commands.command_parser import CommandParser
from handlers.commands.ending import fail
from handlers.process.exit_status import ExitStatus
from handlers.process.standard_output import say
from handlers.settings.command_line import add_options, read_settings


def add(commands: "argparse._SubParsersAction[CommandParser]") -> None:
    """Add the command to the subparsers."""
    contracts = commands.add_parser(
        "contracts",
        help="list the operation that answers each path",
        description="List the operation that answers each path.",
    )
    add_options(contracts, only=("root",))
    contracts.set_defaults(run=_list)


def _list(options: argparse.Namespace) -> int:
    from handlers.composition import CONTRACTS, MARKING_HEADERS, TABLES, YIELDS
    from verbatim_kit.runtime.root_routes import check_root, marked_placements, placements

    try:
        root = read_settings(options).root
        check_root(root, list(CONTRACTS))
    except ValueError as error:
        return fail(error, ExitStatus.USAGE)
    at_root, prefixed = placements(TABLES, root, YIELDS)
    placed = (*at_root, *marked_placements(TABLES, root, MARKING_HEADERS, YIELDS), *prefixed)
    width = max(len(placement.path) for placement in placed) + 2
    lines = [
        f"{operation.method:7}{path:{width}}{contract}.{operation.id}"
        + (f" (with the header {header})" if header else "")
        for path, contract, operation, header in placed
    ]
    say("\n".join(lines))
    return 0
