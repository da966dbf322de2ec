"""The command `verbatim-kit`: `verbatim-kit COMMAND [OPTION ...]`."""

import argparse
import sys
from importlib import import_module
from typing import Final

_COMMANDS: Final = {
    "generate": "write generated/ from specs/",
    "breaking": "find changes that break users of another commit",
    "drift": "compare an upstream document with a contract's",
    "conform": "check whether a server keeps a document",
    "lint": "hold the documents to rules of style",
}


def main(arguments: list[str] | None = None) -> int:
    """Run a command with the arguments after its name. Return its exit status."""
    commands = "\n".join(f"  {name:10} {text}" for name, text in _COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="verbatim-kit",
        description=f"The machinery of API contracts. Commands:\n{commands}",
        epilog="`verbatim-kit COMMAND --help` lists the options of a command.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=_COMMANDS, metavar="COMMAND")
    given = sys.argv[1:] if arguments is None else arguments
    options = parser.parse_args(given[:1])
    return int(import_module(f"verbatim_kit.{options.command}.__main__").main(given[1:]))
