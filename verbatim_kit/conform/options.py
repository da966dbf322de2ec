"""The options of a conformance run against any contract."""

import argparse
from pathlib import Path

from verbatim_kit.conform.checks.names import OPTIONAL_CHECKS


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the server, for what is checked, and for the limits of a run."""
    _add_server(parser)
    _add_selection(parser)
    _add_bounds(parser)


def _add_server(parser: argparse.ArgumentParser) -> None:
    """Add the options for the server and the report."""
    parser.add_argument(
        "--base-url", required=True, metavar="URL", help="URL to which the contract's paths are appended"
    )
    parser.add_argument(
        "--report", type=Path, metavar="DIR", help="folder for report.html, report.json and junit.xml"
    )
    parser.add_argument("--api-key", metavar="KEY", help="API key, sent as a bearer token")
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
