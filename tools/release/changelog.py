"""The entries of CHANGELOG.md, in the form of Keep a Changelog."""

import re
from pathlib import Path

_DATE = r"\d{4}-\d{2}-\d{2}"


class NoEntry(Exception):
    """The error for a version without an entry, or with one that says nothing."""


def notes_of(changelog: Path, version: str) -> str:
    """Return the text of a version's entry, which stands below `## [1.2.3] - 2027-01-31`.

    Raises NoEntry.
    """
    text = changelog.read_text(encoding="utf-8")
    heading = rf"^## \[{re.escape(version)}\] - {_DATE}\n"
    found = re.search(heading + r"(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if found is None:
        raise NoEntry(f"{changelog.name} has no heading `## [{version}] - YYYY-MM-DD`")
    if not found[1].strip():
        raise NoEntry(f"the entry of {version} in {changelog.name} is empty")
    return found[1].strip() + "\n"
