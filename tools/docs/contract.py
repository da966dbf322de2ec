"""A contract as the site tells of it: its operations, the corrections of its document, the decisions."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tools.docs.errata import errata_page
from tools.docs.operations import operations_page
from verbatim_kit.generate.documents.document import Document, load_document
from verbatim_kit.generate.inputs import contract_folders


class Contract(NamedTuple):
    """One folder of specs/. document: the effective one. overlay: the text of overlay.yaml, if any."""

    name: str
    document: Document
    overlay: str | None
    notes: str

    @property
    def title(self) -> str:
        """The contract's title in its document."""
        text: str = self.document["info"]["title"]
        return text

    def nav(self) -> dict[str, Any]:
        """Its entry in the navigation."""
        pages = [{"Operations": f"contracts/{self.name}.md"}]
        if self.overlay is not None:
            pages.append({"Corrections": f"contracts/{self.name}-errata.md"})
        return {self.title: [*pages, {"Decisions": f"contracts/{self.name}-decisions.md"}]}

    def pages(self) -> dict[str, str]:
        """Markdown by its path in the site's sources."""
        pages = {
            f"contracts/{self.name}.md": operations_page(self.name, self.document),
            f"contracts/{self.name}-decisions.md": _decisions_page(self.notes),
        }
        if self.overlay is not None:
            pages[f"contracts/{self.name}-errata.md"] = errata_page(self.name, self.title, self.overlay)
        return pages


def contracts(root: Path) -> Iterator[Contract]:
    """Every contract of the repository, by name."""
    for folder in contract_folders(root / "specs"):
        overlay = folder / "overlay.yaml"
        yield Contract(
            folder.name,
            load_document(root / "generated" / folder.name / "openapi.json"),
            overlay.read_text(encoding="utf-8") if overlay.exists() else None,
            (folder / "NOTES.md").read_text(encoding="utf-8"),
        )


def _decisions_page(notes: str) -> str:
    """The notes, whose links to another contract's lead to its page; its tables have a style of their own."""
    title, _, text = re.sub(r"\]\(\.\./(\w+)/NOTES\.md", r"](\1-decisions.md", notes).partition("\n")
    return f'{title}\n\n<div class="decisions" markdown>\n{text}\n</div>\n'
