"""The command `verbatim conform`."""

import argparse
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

_FAULTS, _USAGE_ERROR = 1, 2
_CHECKS = ("examples", "streams", "bounds", "fuzz")
_NEEDED = ("httpx", "jsonschema_rs", "schemathesis")


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command to `verbatim`'s."""
    parser = commands.add_parser(
        "conform",
        help="check whether a server keeps a contract",
        description="Check a running server, whoever wrote it, against one of the contracts: requests are "
        "made from the contract's OpenAPI document, and each answer is held to it. Exit status: 0 without a "
        "fault, 1 with some, 2 where the server does not answer.",
    )
    parser.add_argument("--contract", required=True, choices=_contracts(), help="the contract that it claims")
    parser.add_argument(
        "--base-url", required=True, metavar="URL", help="what the contract's paths are added to"
    )
    parser.add_argument(
        "--report", type=Path, metavar="DIR", help="write report.html, report.json and junit.xml here"
    )
    parser.add_argument("--model", help="the model to ask for; as told by the server if not given")
    parser.add_argument("--api-key", metavar="KEY", help="sent as a bearer token")
    parser.add_argument(
        "--header", action="append", default=[], metavar="NAME:VALUE", help="sent with every request"
    )
    parser.add_argument(
        "--check", action="append", choices=_CHECKS, help="these alone, and whether operations are there"
    )
    parser.add_argument(
        "--only", action="append", default=[], metavar="GLOB", help="operations, by id or by path"
    )
    parser.add_argument(
        "--skip", action="append", default=[], metavar="GLOB", help="operations, by id or by path"
    )
    parser.add_argument(
        "--max-examples",
        type=int,
        default=10,
        metavar="N",
        help="generated requests an operation; 0 for none (10)",
    )
    parser.add_argument(
        "--time-limit", type=float, metavar="S", help="seconds after which nothing more is sent"
    )
    parser.add_argument(
        "--timeout", type=float, default=60, metavar="S", help="seconds to wait for an answer (60)"
    )
    parser.set_defaults(run=_run)


def _contracts() -> list[str]:
    return sorted(
        folder.name for folder in files("generated").iterdir() if folder.joinpath("fuzz.json").is_file()
    )


def _run(given: argparse.Namespace) -> int:
    try:
        from .command import Unusable, conform
    except ModuleNotFoundError as error:
        if error.name not in _NEEDED:
            raise
        print(
            f"verbatim: error: {error.name} is missing; pip install 'verbatim-server[conform]'",
            file=sys.stderr,
        )
        return _USAGE_ERROR
    try:
        return _FAULTS if conform(given) else 0
    except Unusable as error:
        print(f"verbatim: error: {error}", file=sys.stderr)
        return _USAGE_ERROR


def main(arguments: list[str] | None = None) -> int:
    """`python -m handlers.conform …` does what `verbatim conform …` does."""
    parser = argparse.ArgumentParser(prog="python -m handlers.conform")
    commands: Any = parser.add_subparsers(required=True, metavar="COMMAND")
    add(commands)
    given = parser.parse_args(["conform", *(sys.argv[1:] if arguments is None else arguments)])
    return int(given.run(given))
