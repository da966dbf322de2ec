"""Sections that a page has from elsewhere: between `<!-- from README.md: Limits -->` and `<!-- end -->`.

They are committed, so that a page is whole without the site; `python -m tools.docs.sections` writes them anew
and a test holds them to their sources.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from handlers.ray.settings import RaySettings
from handlers.settings.command_line import settings_table
from handlers.settings.settings import Settings
from handlers.shared_settings.section import Section

_SETTINGS: Final[Mapping[str, type[Section]]] = {"settings": Settings, "replica settings": RaySettings}
_SECTION: Final = re.compile(
    rf"^<!-- (from (?P<file>[\w./]+): (?P<heading>[^\n]+)|(?P<table>{'|'.join(_SETTINGS)})) -->$"
    r"(?P<text>.*?)^<!-- end -->$",
    re.MULTILINE | re.DOTALL,
)
_ROOT: Final = Path(__file__).parents[2]
# What stands under a numbered item: GitHub wants three blanks there, Python-Markdown four.
_NESTED: Final = re.compile(r"^ {3}(?=\S)", re.MULTILINE)
_LINK: Final = re.compile(r"\[(?P<text>[^\]]+)\]\((?!https?:|#)(?P<path>[^)]+)\)")


def fill_sections(markdown: str, root: Path, page: str) -> str:
    """Return a page with its sections as they are now. page: its path, for the message.

    Raises ValueError where a file has no such heading.
    """

    def section(match: re.Match[str]) -> str:
        if match["table"] is not None:
            text: str | None = settings_table(_SETTINGS[match["table"]])
        else:
            text = _under(match["heading"], (root / match["file"]).read_text(encoding="utf-8"))
        if text is None:
            raise ValueError(f"{page}: {match['file']} has no heading {match['heading']!r}")
        return f"<!-- {match[1]} -->\n\n{text}\n\n<!-- end -->"

    return _SECTION.sub(section, markdown)


def main() -> None:
    """Write the sections of all pages anew."""
    for page in sorted((_ROOT / "docs").rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        if (filled := fill_sections(text, _ROOT, page.name)) != text:
            page.write_text(filled, encoding="utf-8")


def _under(heading: str, text: str) -> str | None:
    """The text from a heading to the next of its level or above, links into the repository as text."""
    match = re.search(rf"^(?P<level>#+) {re.escape(heading)}$", text, re.MULTILINE)
    if match is None:
        return None
    rest = text[match.end() :]
    end = re.search(rf"^#{{1,{len(match['level'])}}} ", rest, re.MULTILINE)
    section = _LINK.sub(r"\g<text>", rest[: end.start()] if end else rest).strip()
    return _NESTED.sub("    ", section)


if __name__ == "__main__":
    main()
