"""The command `verbatim keys`."""

import argparse
import sys

from handlers.commands.command_parser import CommandParser
from handlers.commands.ending import fail
from handlers.process.exit_status import ExitStatus


def add(commands: "argparse._SubParsersAction[CommandParser]") -> None:
    """Add the command to the subparsers."""
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
        "--requests-per-minute", type=int, metavar="N", help="limit on requests per minute; none by default"
    )
    new.add_argument(
        "--tokens-per-minute",
        type=int,
        metavar="N",
        help="limit on tokens per minute, in prompts and answers together; none by default",
    )
    new.add_argument(
        "--expires",
        metavar="TIME",
        help="time when the key expires, such as 2030-01-31T00:00:00Z; never by default",
    )
    new.set_defaults(run=_new)


def _new(options: argparse.Namespace) -> int:
    from handlers.access.keys.new_key import as_toml, new_key

    contracts = None if options.contracts is None else tuple(options.contracts.split(","))
    try:
        key = new_key(
            options.name, contracts, options.requests_per_minute, options.tokens_per_minute, options.expires
        )
    except ValueError as error:
        return fail(error, ExitStatus.USAGE)
    print(f"the key, which is shown only once: {key.text}", file=sys.stderr)
    print(as_toml(key.entry))
    return 0
