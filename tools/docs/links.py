"""Links of a page that lead into the repository, which the site does not hold.

In the repository they are of use, so pages keep them; the site shows them as text, or leads to its own page
of the same.
"""

import posixpath
import re
from pathlib import Path
from typing import Final

_LINK: Final = re.compile(r"(?<!!)\[(?P<text>[^\]]+)\]\((?!\w+:|#)(?P<path>[^)#\s]+)(?P<anchor>#[^)]*)?\)")
_NOTES: Final = re.compile(r"specs/(\w+)/NOTES\.md")


def site_links(markdown: str, root: Path, page: str) -> str:
    """page: its path in docs/. A link that leads nowhere stays, for the build to fail at."""

    def link(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), match["path"]))
        if target.startswith("docs/") or not (root / target).exists():
            return match[0]
        if notes := _NOTES.fullmatch(target):
            up = posixpath.relpath(f"contracts/{notes[1]}-decisions.md", posixpath.dirname(page) or ".")
            return f"[{match['text']}]({up}{match['anchor'] or ''})"
        return match["text"]

    return _LINK.sub(link, markdown)
