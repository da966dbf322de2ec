"""The command line of `verbatim conform`."""

import argparse
import sys
from typing import Any

from handlers.commands.conform.contracts import contract_names
from verbatim_kit.conform.options import add_options

_FAULTS, _USAGE_ERROR = 1, 2
_PROFILES = ("agents",)
_OPTIONAL_DEPENDENCIES = ("httpx", "jsonschema_rs", "schemathesis")


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the subcommands of `verbatim`."""
    parser = commands.add_parser(
        "conform",
        help="check whether a server keeps a contract, or whether programs can work with it",
        description="Check any running server, whoever wrote it. With --contract, requests are generated "
        "from the contract's OpenAPI document, and each answer is checked against it. With --profile, the "
        "requests of programs that people use are sent, and each answer is checked for what the program "
        "reads. Exit status: 0 if there are no faults, 1 if there are, 2 if the server does not answer.",
    )
    standard = parser.add_mutually_exclusive_group(required=True)
    standard.add_argument(
        "--contract", choices=contract_names(), help="contract that the server claims to keep"
    )
    standard.add_argument("--profile", choices=_PROFILES, help="programs that should work with the server")
    parser.add_argument("--model", help="model to request; by default the first one that the server lists")
    add_options(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    try:
        from handlers.commands.conform.run import run
        from verbatim_kit.conform.plan import Unusable
    except ModuleNotFoundError as error:
        if error.name not in _OPTIONAL_DEPENDENCIES:
            raise
        print(
            f"verbatim: error: {error.name} is missing; pip install 'verbatim-server[conform]'",
            file=sys.stderr,
        )
        return _USAGE_ERROR
    try:
        return _FAULTS if run(options) else 0
    except Unusable as error:
        print(f"verbatim: error: {error}", file=sys.stderr)
        return _USAGE_ERROR


def main(arguments: list[str] | None = None) -> int:
    """Run the command as `python -m handlers.commands.conform` and return its exit status.

    arguments: the command-line arguments; those of the process if None.
    """
    parser = argparse.ArgumentParser(prog="python -m handlers.commands.conform")
    commands: Any = parser.add_subparsers(required=True, metavar="COMMAND")
    add(commands)
    options = parser.parse_args(["conform", *(sys.argv[1:] if arguments is None else arguments)])
    return int(options.run(options))
