"""The command line of `verbatim conform`."""

import argparse
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

from handlers.conform.checks.names import OPTIONAL_CHECKS

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
    _add_server(parser)
    _add_selection(parser)
    _add_bounds(parser)
    parser.set_defaults(run=_run)


def _add_server(parser: argparse.ArgumentParser) -> None:
    """Add the options for the server, and for the contract or profile that it is checked against."""
    standard = parser.add_mutually_exclusive_group(required=True)
    standard.add_argument("--contract", choices=_contracts(), help="contract that the server claims to keep")
    standard.add_argument("--profile", choices=_PROFILES, help="programs that should work with the server")
    parser.add_argument(
        "--base-url", required=True, metavar="URL", help="URL to which the contract's paths are appended"
    )
    parser.add_argument(
        "--report", type=Path, metavar="DIR", help="folder for report.html, report.json and junit.xml"
    )
    parser.add_argument("--model", help="model to request; by default the first one that the server lists")
    parser.add_argument(
        "--api-key",
        metavar="KEY",
        help="API key, sent as a bearer token; with --profile also as x-api-key, like Anthropic's clients",
    )
    parser.add_argument(
        "--header",
        action="append",
        default=[],
        metavar="NAME:VALUE",
        help="header to send with every request",
    )


def _add_selection(parser: argparse.ArgumentParser) -> None:
    """Add the options that select checks, operations and programs."""
    parser.add_argument(
        "--check",
        action="append",
        choices=OPTIONAL_CHECKS,
        help="run only these checks of a contract, after checking that the operations exist; may be repeated",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="GLOB",
        help="check only these operations (id or path), or programs (id, or path of a request)",
    )
    parser.add_argument(
        "--skip", action="append", default=[], metavar="GLOB", help="skip these operations or programs"
    )


def _add_bounds(parser: argparse.ArgumentParser) -> None:
    """Add the options that limit the number of requests and the time."""
    parser.add_argument(
        "--max-examples",
        type=int,
        default=10,
        metavar="N",
        help="generated requests per operation of a contract; 0 for none [default: 10]",
    )
    parser.add_argument(
        "--time-limit", type=float, metavar="S", help="seconds after which no more requests are sent"
    )
    parser.add_argument(
        "--timeout", type=float, default=60, metavar="S", help="seconds to wait for an answer [default: 60]"
    )


def _contracts() -> list[str]:
    return sorted(
        folder.name for folder in files("generated").iterdir() if folder.joinpath("fuzz.json").is_file()
    )


def _run(options: argparse.Namespace) -> int:
    try:
        from handlers.conform.command import conform
        from handlers.conform.plan import Unusable
    except ModuleNotFoundError as error:
        if error.name not in _OPTIONAL_DEPENDENCIES:
            raise
        print(
            f"verbatim: error: {error.name} is missing; pip install 'verbatim-server[conform]'",
            file=sys.stderr,
        )
        return _USAGE_ERROR
    try:
        return _FAULTS if conform(options) else 0
    except Unusable as error:
        print(f"verbatim: error: {error}", file=sys.stderr)
        return _USAGE_ERROR


def main(arguments: list[str] | None = None) -> int:
    """Run the command as `python -m handlers.conform` and return its exit status.

    arguments: the command-line arguments; those of the process if None.
    """
    parser = argparse.ArgumentParser(prog="python -m handlers.conform")
    commands: Any = parser.add_subparsers(required=True, metavar="COMMAND")
    add(commands)
    options = parser.parse_args(["conform", *(sys.argv[1:] if arguments is None else arguments)])
    return int(options.run(options))
