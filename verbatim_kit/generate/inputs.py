"""The folders of specs/ and what each of them holds."""

from pathlib import Path

from verbatim_kit.generate.documents.document import SpecError


def contract_folders(specs: Path) -> list[Path]:
    """Return the folders of specs/ that hold a document, by name."""
    return sorted(folder for folder in specs.iterdir() if any(folder.glob("openapi.*")))


def find_inputs(folder: Path) -> list[Path]:
    """Return the document of a contract and, if it has one, its overlay."""
    documents = sorted(folder.glob("openapi.*"))
    if len(documents) != 1:
        raise SpecError((), f"{folder.name} must hold one openapi.json or openapi.yaml, not {len(documents)}")
    overlay = folder / "overlay.yaml"
    return [*documents, overlay] if overlay.exists() else documents
