"""The command `verbatim completion`."""

import argparse
from collections.abc import Callable
from typing import Final

from handlers.commands.command_parser import CommandParser
from handlers.process.standard_output import say

_SHELLS: Final = ("bash", "zsh", "fish")


def add(commands: "argparse._SubParsersAction[CommandParser]", parser: Callable[[], CommandParser]) -> None:
    """Add the command to the subparsers. parser: returns the parser of all commands."""
    completion = commands.add_parser(
        "completion",
        help="print a completion script for a shell",
        description='Print a script that completes commands and options: eval "$(verbatim completion bash)"',
    )
    completion.add_argument("shell", choices=_SHELLS, help="the shell")
    completion.set_defaults(run=lambda options: _print(parser(), options.shell))


def _print(parser: CommandParser, shell: str) -> int:
    import shtab

    say(shtab.complete(parser, shell))
    return 0
