"""Writes one contract's client into the Python package of clients."""

from pathlib import Path
from typing import Any

from verbatim_kit.generate.documents.document import Document
from verbatim_kit.generate.sdk.errors import error_classes
from verbatim_kit.generate.sdk.package import contract_path, write_files
from verbatim_kit.generate.sdk.reader import read_calls
from verbatim_kit.generate.sdk.rendering import render
from verbatim_kit.generate.sdk.types import render_answers, render_requests


def emit_client(document: Document, name: str, target: Path, package: str) -> None:
    """Write the client of an effective document.

    name: the contract's folder. package: of all clients.
    """
    calls = read_calls(document)
    errors = error_classes(calls)
    shared = {
        "info": document["info"],
        "contract": name,
        "path": contract_path(document),
        "key_header": _key_header(document),
        "calls": calls,
        "errors": errors,
    }
    exported = ["AsyncClient", "CONTRACT_VERSION", "Client", "models", "requests", *(e.name for e in errors)]
    files = {
        "__init__.py": render("contract.py.jinja", **shared, names=sorted(exported)),
        "client.py": _render_client("client.py.jinja", shared, is_async=False),
        "async_client.py": _render_client("client.py.jinja", shared, is_async=True),
        "raw_client.py": _render_client("raw_client.py.jinja", shared, is_async=False),
        "async_raw_client.py": _render_client("raw_client.py.jinja", shared, is_async=True),
        "operations.py": render("operations.py.jinja", **shared),
        "errors.py": render("errors.py.jinja", **shared),
        "models.py": render_answers(document, calls),
        "requests.py": render_requests(document, calls),
    }
    header = f"# Generated from specs/{name}: mend the document or its overlay, never this file.\n"
    write_files(target / package / name, {file: header + text for file, text in files.items()})


def _render_client(template: str, shared: dict[str, Any], *, is_async: bool) -> str:
    return render(
        template,
        **shared,
        is_async=is_async,
        client="AsyncClient" if is_async else "Client",
        raw="AsyncRawClient" if is_async else "RawClient",
        base="BaseAsyncClient" if is_async else "BaseClient",
        stream="AsyncEventStream" if is_async else "EventStream",
    )


def _key_header(document: Document) -> str | None:
    """The header that a key is sent in, where it is not `Authorization: Bearer`."""
    schemes = document.get("components", {}).get("securitySchemes", {})
    headers = [
        s["name"].lower() for s in schemes.values() if (s["type"], s.get("in")) == ("apiKey", "header")
    ]
    is_bearer = any(scheme["type"] == "http" for scheme in schemes.values())
    return None if is_bearer or not headers else headers[0]
