"""The parser of a command, whose errors have the usage of its own subcommand and suggest what was meant."""

import argparse
import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, Final, NoReturn

from typing_extensions import override

_UNKNOWN: Final = "unrecognized arguments: "
_OPTIONS: Final = re.compile(r"^ +(-.+?)(?: {2}|$)", re.MULTILINE)  # a line of help, up to the explanation
_CHOICE: Final = re.compile(r"invalid choice: '(.*?)' \(choose from (.*)\)")


class CommandParser(argparse.ArgumentParser):
    """A parser that takes no abbreviations, and options with underscores, as vLLM does.

    flags: those to suggest besides those in the help.
    """

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **{"allow_abbrev": False, **keywords})
        self.flags: list[str] = []

    @override
    def parse_known_args(  # type: ignore[override]  # argparse has overloads for namespaces of other types
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse arguments, of which none may be unknown: a subcommand's would be reported by its parent."""
        given = None if args is None else [_with_hyphens(word) for word in args]
        parsed, unknown = super().parse_known_args(given, namespace)
        if unknown:
            self.error(_UNKNOWN + " ".join(unknown))
        return parsed, unknown

    @override
    def error(self, message: str) -> NoReturn:
        """Print the usage and the error, with what is most like an unknown option or choice, and exit."""
        if message.startswith(_UNKNOWN):
            words = message.removeprefix(_UNKNOWN).split()
            message += "".join(self._hint(word.partition("=")[0]) for word in words if word.startswith("-"))
        elif (choice := _CHOICE.search(message)) is not None:
            message += _hint(choice[1], re.findall(r"[\w.-]+", choice[2]))
        super().error(message)

    def _hint(self, unknown: str) -> str:
        listed = [word.rstrip(",") for line in _OPTIONS.findall(self.format_help()) for word in line.split()]
        return _hint(unknown, [word for word in (*listed, *self.flags) if word.startswith("-")])


def _hint(unknown: str, known: Sequence[str]) -> str:
    close = get_close_matches(unknown, known, n=1)
    return f"; for {unknown}, did you mean {close[0]}?" if close else ""


def _with_hyphens(word: str) -> str:
    """Return an argument in which an option's name has hyphens in place of underscores."""
    name, separator, value = word.partition("=")
    return (name.replace("_", "-") if name.startswith("--") else name) + separator + value
