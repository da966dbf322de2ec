"""The command `verbatim settings`."""

import argparse

from handlers.commands.command_parser import CommandParser
from handlers.process.standard_output import say
from handlers.settings.command_line import settings_table


def add(commands: "argparse._SubParsersAction[CommandParser]") -> None:
    """Add the command to the subparsers."""
    settings = commands.add_parser("settings", help="list all settings as a Markdown table")
    settings.set_defaults(run=_print)


def _print(options: argparse.Namespace) -> int:
    say(settings_table())
    return 0
