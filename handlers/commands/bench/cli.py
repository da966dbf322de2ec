"""The command line of `verbatim bench`."""

import argparse
import asyncio
from pathlib import Path
from typing import Final

_FAILURES, _USAGE_ERROR = 1, 2
_ENDPOINTS: Final = ("chat/completions", "completions")


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the subcommands of `verbatim`."""
    parser = commands.add_parser(
        "bench",
        help="measure an OpenAI-compatible server under load",
        description="Send synthetic prompts to any OpenAI-compatible server, stream the answers, and print "
        "latencies and tokens per second. Several rates or concurrencies are measured in turn. Exit status: "
        "0 if every request was answered, 1 if some failed, 2 if the server cannot be measured.",
    )
    load, end = parser.add_mutually_exclusive_group(), parser.add_mutually_exclusive_group()
    for group, name, kind, default, metavar, text in (
        (load, "--concurrency", _count, [1], "N", "requests at once [default: 1]"),
        (load, "--rate", _positive, None, "R", "requests per second, which arrive at random (Poisson)"),
        (end, "--requests", _count, 100, "N", "requests of each load [default: 100]"),
        (end, "--duration", _positive, None, "S", "seconds in which requests of each load begin"),
        (parser, "--prompt-tokens", _count, 256, "N", "tokens of a prompt [default: 256]"),
        (parser, "--output-tokens", _count, 128, "N", "tokens to generate [default: 128]"),
        (parser, "--model", str, None, "NAME", "model to request [default: the first that is listed]"),
        (parser, "--api-key", str, None, "KEY", "API key, sent as a bearer token"),
        (parser, "--timeout", _positive, 600.0, "S", "seconds to wait for an answer [default: 600]"),
        (parser, "--seed", int, None, "N", "seed of prompts and arrivals; the same prompts may be cached"),
        (parser, "--json", Path, None, "FILE", "file for all figures, with those of each request"),
        (parser, "--html", Path, None, "FILE", "file for a page with tables and plots"),
    ):
        option = group.add_argument(name, type=kind, default=default, metavar=metavar, help=text)
        option.nargs = "+" if group is load else None
    parser.add_argument("--base-url", required=True, metavar="URL", help="URL, with or without /v1")
    parser.add_argument(
        "--endpoint", choices=_ENDPOINTS, default=_ENDPOINTS[0], help="[default: %(default)s]"
    )
    parser.set_defaults(run=_run)


def _count(text: str) -> int:
    return int(_positive(str(int(text))))


def _positive(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number


def _run(options: argparse.Namespace) -> int:
    from handlers.commands.bench.client import Unusable
    from handlers.commands.bench.command import bench
    from handlers.process.standard_output import complain

    try:
        return _FAILURES if asyncio.run(bench(options)) else 0
    except Unusable as error:
        complain(str(error))
        return _USAGE_ERROR
