"""Writes the Python package of clients beside what is generated for the server."""

import re
import shutil
import textwrap
import tomllib
from pathlib import Path
from typing import Any

import jinja2

from ..document import Document, SpecError, load_document
from .errors import error_classes
from .examples import render_examples
from .fields import members_of
from .reader import read_calls
from .runtime import errors as runtime_errors
from .types import render_answers, render_requests

FOLDER = Path("clients", "python")
PACKAGE = "verbatim_client"

_HERE = Path(__file__).parent
_WIDTH = 108
_RUNTIME_ERRORS = [
    name
    for name, kind in vars(runtime_errors).items()
    if isinstance(kind, type) and issubclass(kind, Exception)
]


def emit_clients(tree: Path, contracts: list[str]) -> None:
    """Writes the clients of the contracts named into the generated tree, and what they share."""
    target = tree / FOLDER
    documents = {path.parent.name: load_document(path) for path in sorted(tree.glob("*/openapi.json"))}
    for name in contracts:
        try:
            _emit_contract(documents[name], name, target)
        except SpecError as error:
            raise SystemExit(f"specs/{name}, for its clients: {error}") from error
    _emit_package(documents, target)


def version() -> str:
    """Ours, which the package of clients has too."""
    project = tomllib.loads((_HERE.parents[2] / "pyproject.toml").read_text())
    return str(project["project"]["version"])


def _emit_contract(document: Document, name: str, target: Path) -> None:
    calls = read_calls(document)
    requests = render_requests(document, calls)
    errors = error_classes(calls)
    shared = {
        "info": document["info"],
        "contract": name,
        "path": contract_path(document),
        "key_header": _key_header(document),
        "calls": calls,
        "errors": errors,
        "examples": render_examples(calls),
    }
    exported = ["AsyncClient", "CONTRACT_VERSION", "Client", "models", "requests", *(e.name for e in errors)]
    files = {
        "__init__.py": _render("contract.py.jinja", **shared, names=sorted(exported)),
        "client.py": _render_client("client.py.jinja", shared, is_async=False),
        "async_client.py": _render_client("client.py.jinja", shared, is_async=True),
        "raw_client.py": _render_client("raw_client.py.jinja", shared, is_async=False),
        "async_raw_client.py": _render_client("raw_client.py.jinja", shared, is_async=True),
        "operations.py": _render("operations.py.jinja", **shared),
        "errors.py": _render("errors.py.jinja", **shared),
        "models.py": render_answers(document, calls),
        "requests.py": requests,
    }
    header = f"# Generated from specs/{name}: mend the document or its overlay, never this file.\n"
    _write(target / PACKAGE / name, {file: header + text for file, text in files.items()})
    names = {error.status: error.name for error in errors}
    reference = _render("reference.md.jinja", **shared, members=members_of(requests), names_of_errors=names)
    _write(target / "docs", {f"{name}.md": _squeeze(reference)})


def _emit_package(documents: dict[str, Document], target: Path) -> None:
    shutil.copytree(
        _HERE / "runtime",
        target / PACKAGE / "runtime",
        ignore=shutil.ignore_patterns("__pycache__"),
        dirs_exist_ok=True,
    )
    contracts = [
        {
            "name": name,
            "title": document["info"]["title"],
            "version": document["info"]["version"],
            "num_operations": len(read_calls(document)),
        }
        for name, document in documents.items()
    ]
    package = {
        "__init__.py": _render("package.py.jinja", contracts=list(documents), errors=_RUNTIME_ERRORS),
        "version.py": f'"""Of this package."""\n\nVERSION = "{version()}"\n',
        "py.typed": "",
    }
    _write(target / PACKAGE, package)
    texts = {
        "pyproject.toml": _render("pyproject.toml.jinja", version=version()),
        "README.md": _render(
            "README.md.jinja", version=version(), contracts=contracts, first=_first_example(documents)
        ),
    }
    _write(target, texts)
    shutil.copyfile(_HERE.parents[2] / "LICENSE", target / "LICENSE")


def _first_example(documents: dict[str, Document]) -> dict[str, str] | None:
    """A call that answers whole, of the first contract that has one with a body."""
    for name, document in documents.items():
        for call in read_calls(document):
            if call.body is not None and call.answer != "None":
                example = render_examples([call])[call.name]
                return {"name": name, "path": contract_path(document), "example": example}
    return None


def _render_client(template: str, shared: dict[str, Any], *, is_async: bool) -> str:
    return _render(
        template,
        **shared,
        is_async=is_async,
        client="AsyncClient" if is_async else "Client",
        raw="AsyncRawClient" if is_async else "RawClient",
        prefix="async " if is_async else "",
        base="BaseAsyncClient" if is_async else "BaseClient",
        stream="AsyncEventStream" if is_async else "EventStream",
    )


def _write(folder: Path, files: dict[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def contract_path(document: Document) -> str:
    """Where the server has the contract, as the document says."""
    servers = document.get("servers") or [{"url": ""}]
    url = str(servers[0]["url"]).rstrip("/")
    return url if url.startswith("/") else ""


def _key_header(document: Document) -> str | None:
    """The header that a key is sent in, where it is not `Authorization: Bearer`."""
    schemes = document.get("components", {}).get("securitySchemes", {})
    headers = [
        s["name"].lower() for s in schemes.values() if (s["type"], s.get("in")) == ("apiKey", "header")
    ]
    is_bearer = any(scheme["type"] == "http" for scheme in schemes.values())
    return None if is_bearer or not headers else headers[0]


def _render(template: str, **values: Any) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "literal": repr,
        "docstring": lambda text: " ".join(text.split()).replace("\\", "\\\\").replace('"', "'"),
        "prose": _prose,
        "code": lambda text, indent: textwrap.indent(_escape(text), " " * indent),
        "cell": lambda text: " ".join(text.split()).replace("|", "\\|").rstrip("."),
        "pipe": lambda text: text.replace("|", "\\|"),
        "indented": lambda text: textwrap.indent(text, "    "),
        "plain": lambda text: text.replace("m.", ""),
    }
    return environment.get_template(template).render(**values)


def _prose(text: str, indent: int) -> str:
    """Wrapped between the docstring's edge and the longest line."""
    margin = " " * indent
    return textwrap.fill(
        " ".join(text.split()),
        _WIDTH,
        initial_indent=margin,
        subsequent_indent=margin,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')


def _squeeze(text: str) -> str:
    """One empty line where a template left several."""
    return re.sub(r"\n{3,}", "\n\n", text)
