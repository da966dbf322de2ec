"""Writes what the clients of all contracts share: the runtime, the manifest, the README."""

import shutil
import tomllib
from pathlib import Path
from typing import NamedTuple

from verbatim_kit.generate.documents.document import Document, load_document
from verbatim_kit.generate.sdk.examples import render_example
from verbatim_kit.generate.sdk.reader import read_calls
from verbatim_kit.generate.sdk.rendering import render
from verbatim_kit.generate.sdk.runtime import errors as runtime_errors

FOLDER = Path("clients", "python")

_HERE = Path(__file__).parent
_RUNTIME_ERRORS = [
    name
    for name, kind in vars(runtime_errors).items()
    if isinstance(kind, type) and issubclass(kind, Exception)
]


class Clients(NamedTuple):
    """The distribution of a project's clients. project: the project's name. version: of both."""

    project: str
    version: str

    @property
    def name(self) -> str:
        return f"{self.project}-client"

    @property
    def package(self) -> str:
        return self.name.replace("-", "_")


def clients_of(root: Path) -> Clients:
    """Return the clients of the project in a folder."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    return Clients(project["name"], project["version"])


def emit_package(root: Path, tree: Path) -> None:
    """Write what is no contract's own into the clients of a tree that holds all contracts.

    root: the project, whose version the package has, and whose licence, if there is one.
    """
    names = clients_of(root)
    documents = {path.parent.name: load_document(path) for path in sorted(tree.glob("*/openapi.json"))}
    target = tree / FOLDER
    shutil.copytree(
        _HERE / "runtime",
        target / names.package / "runtime",
        ignore=shutil.ignore_patterns("__pycache__"),
        dirs_exist_ok=True,
    )
    package = {
        "__init__.py": render("package.py.jinja", contracts=list(documents), errors=_RUNTIME_ERRORS),
        "version.py": render("version.py.jinja", names=names),
        "py.typed": "",
    }
    write_files(target / names.package, package)
    texts = {
        "pyproject.toml": render("pyproject.toml.jinja", names=names),
        "README.md": render(
            "README.md.jinja", names=names, documents=documents, first=_first_example(documents)
        ),
    }
    write_files(target, texts)
    if (root / "LICENSE").exists():
        shutil.copyfile(root / "LICENSE", target / "LICENSE")


def write_files(folder: Path, files: dict[str, str]) -> None:
    """Write texts by their names into a folder, which is made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def contract_path(document: Document) -> str:
    """Return where the server has the contract, as the document says."""
    servers = document.get("servers") or [{"url": ""}]
    url = str(servers[0]["url"]).rstrip("/")
    return url if url.startswith("/") else ""


def _first_example(documents: dict[str, Document]) -> dict[str, str] | None:
    """A call that answers whole, of the first contract that has one with a body."""
    for name, document in documents.items():
        for call in read_calls(document):
            if call.body is not None and call.answer != "None":
                example = render_example(call, streams=False)
                return {"name": name, "path": contract_path(document), "example": example}
    return None
