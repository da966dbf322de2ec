"""The pages that people wrote: their code blocks and their tables."""

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[3]
DOCS: Final = ROOT / "docs"
README: Final = ROOT / "README.md"
GUIDES: Final = sorted(DOCS.glob("guides/*.md"))
# Every example on these pages runs against a server.
EXAMPLES: Final = (README, DOCS / "quickstart.md", DOCS / "sdk.md", *GUIDES)

_FENCE: Final = re.compile(
    r"^(?P<indent> *)```(?P<language>\w+)[^\n]*\n(?P<text>.*?)^(?P=indent)```$", re.DOTALL | re.MULTILINE
)


class Block(NamedTuple):
    """A fenced block. name: its page and line."""

    name: str
    language: str
    text: str


class Row(NamedTuple):
    """A row of a table. name: its page and its first cell. cells: by their column's head."""

    name: str
    cells: dict[str, str]


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for match in _FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield Block(f"{page.relative_to(ROOT)}:{line}", match["language"], textwrap.dedent(match["text"]))


def rows(page: Path) -> Iterator[Row]:
    head: list[str] | None = None
    for line in page.read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            head = None
            continue
        cells = [cell.strip() for cell in line.removeprefix("|").removesuffix("|").split("|")]
        if head is None:
            head = cells
        elif not set(line) <= set("|- "):
            yield Row(f"{page.stem}: {cells[0]}", dict(zip(head, cells, strict=True)))


def code(cell: str) -> list[str]:
    """Return the text in backticks."""
    return cell.split("`")[1::2]
