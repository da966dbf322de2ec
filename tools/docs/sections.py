"""Sections that a page takes from elsewhere, by comments such as `<!-- from README.md: Limits -->`."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from handlers.ray.settings import RaySettings
from handlers.settings.command_line import settings_table
from handlers.settings.settings import Settings
from handlers.shared_settings.section import Section

_SECTION: Final = re.compile(r"^<!-- from (?P<file>[\w./]+): (?P<heading>.+) -->$", re.MULTILINE)
_SETTINGS: Final[Mapping[str, type[Section]]] = {
    "<!-- settings -->": Settings,
    "<!-- replica settings -->": RaySettings,
}
# What stands under a numbered item: GitHub wants three blanks there, Python-Markdown four.
_NESTED: Final = re.compile(r"^ {3}(?=\S)", re.MULTILINE)
_LINK: Final = re.compile(r"\[(?P<text>[^\]]+)\]\((?!https?:|#)(?P<path>[^)]+)\)")


def fill_sections(markdown: str, root: Path, page: str) -> str:
    """Raises ValueError where a file has no such heading. page: its path, for the message."""

    def section(match: re.Match[str]) -> str:
        text = _under(match["heading"], (root / match["file"]).read_text(encoding="utf-8"))
        if text is None:
            raise ValueError(f"{page}: {match['file']} has no heading {match['heading']!r}")
        return text

    filled = _SECTION.sub(section, markdown)
    for marker, settings in _SETTINGS.items():
        if marker in filled:
            filled = filled.replace(marker, settings_table(settings))
    return filled


def _under(heading: str, text: str) -> str | None:
    """The text from a heading to the next of its level or above, links into the repository as text."""
    match = re.search(rf"^(?P<level>#+) {re.escape(heading)}$", text, re.MULTILINE)
    if match is None:
        return None
    rest = text[match.end() :]
    end = re.search(rf"^#{{1,{len(match['level'])}}} ", rest, re.MULTILINE)
    section = _LINK.sub(r"\g<text>", rest[: end.start()] if end else rest).strip()
    return _NESTED.sub("    ", section)
