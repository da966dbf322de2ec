"""`CHANGES.md`: the breaking changes that we stand by, each named exactly, with its reason."""

import re
from pathlib import Path
from typing import Final, NamedTuple

NAME: Final = "CHANGES.md"
OPEN: Final = "## Open"
SETTLED: Final = "## Settled"
_TITLE: Final = "# Breaking changes"
_ITEM: Final = re.compile(r"- `(?P<change>[^`]+)`: (?P<reason>\S.*)")


class FormatError(ValueError):
    """The file is not what README describes; the message begins with its path and line."""


class Acknowledgements(NamedTuple):
    """A file's acknowledged changes: `open` against the base, `settled` in the past, in the file's order."""

    open: tuple[str, ...] = ()
    settled: tuple[str, ...] = ()


def read_acknowledgements(path: Path) -> Acknowledgements:
    """Read the acknowledgements of a file; none if there is no file. Raises FormatError."""
    return parse_acknowledgements(path.read_text(encoding="utf-8"), str(path)) if path.exists() else _NONE


_NONE: Final = Acknowledgements()


def parse_acknowledgements(text: str, name: str) -> Acknowledgements:
    """A title, prose, then `## Open` and `## Settled`, which hold items of one form and nothing else.

    An item may go on in lines that two spaces indent. Raises FormatError.
    """
    found: dict[str, list[str]] = {OPEN: [], SETTLED: []}
    section = None
    lines = text.splitlines()
    if not lines or lines[0] != _TITLE:
        raise FormatError(f"{name}:1: the first line is `{_TITLE}`")
    for number, line in enumerate(lines[1:], start=2):
        if line.startswith("#"):
            section = _section(line, section, f"{name}:{number}")
        elif section is not None and line.strip():
            _take(line, found[section], f"{name}:{number}")
    if section is not SETTLED:
        raise FormatError(
            f"{name}:{len(lines)}: the sections are `{OPEN}`, then `{SETTLED}`; both must be there"
        )
    if twice := next((change for change in found[OPEN] if found[OPEN].count(change) > 1), None):
        raise FormatError(f"{name}: acknowledged twice: {twice}")
    return Acknowledgements(tuple(found[OPEN]), tuple(found[SETTLED]))


def _section(line: str, previous: str | None, where: str) -> str:
    expected = OPEN if previous is None else SETTLED
    if line != expected or previous is SETTLED:
        raise FormatError(f"{where}: {line!r} where `{OPEN}`, then `{SETTLED}`, are the only sections")
    return expected


def _take(line: str, items: list[str], where: str) -> None:
    if match := _ITEM.fullmatch(line):
        items.append(match["change"])
    elif not (items and line.startswith("  ")):
        raise FormatError(f"{where}: not of the form - `change`: reason")
