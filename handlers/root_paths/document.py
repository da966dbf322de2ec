"""One OpenAPI document for all operations at the root, merged from the documents of their contracts."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson
from fastapi import FastAPI

from verbatim_kit.runtime.documents.served_document import ServedDocument
from verbatim_kit.runtime.root_routes import Placement
from verbatim_kit.runtime.routes import shape

_VERSION: Final = "3.1.1"  # that of all our documents
_COMPONENTS: Final = "#/components/"
_METHODS: Final = frozenset({"get", "post", "put", "patch", "delete", "head", "options", "trace"})


class RootDocument:
    """The document at `/openapi.json`, made for the first request."""

    def __init__(self, documents: Mapping[str, bytes], at_root: Sequence[Placement]) -> None:
        """Merge nothing yet.

        documents: each contract's effective OpenAPI document, by the contract's name.
        at_root: the operations at the root, as `placements` returns them.
        """
        self._documents = documents
        self._at_root = at_root

    def mount(self, shell: FastAPI) -> None:
        """Add the document to the shell."""
        shell.add_route("/openapi.json", ServedDocument(self._merge).answer, include_in_schema=False)

    def _merge(self) -> bytes:
        documents = {name: orjson.loads(raw) for name, raw in self._documents.items()}
        return orjson.dumps(merged_document(documents, self._at_root))


def merged_document(
    documents: Mapping[str, Mapping[str, Any]], at_root: Sequence[Placement]
) -> dict[str, Any]:
    """Return one OpenAPI document of the operations at the root.

    Components, tags and operation ids get their contract's name in front (`openai.CreateEmbeddingRequest`),
    since contracts use the same names for different things. What a document requires as a whole, each of its
    operations requires here.
    """
    merged: dict[str, Any] = {
        "openapi": _VERSION,
        "info": {
            "title": "The operations at the root",
            "version": ", ".join(f"{name} {one['info']['version']}" for name, one in documents.items()),
            "description": "Each contract is whole under its own prefix, with a document of its own there.",
        },
        "servers": [{"url": "/"}],
        "tags": [],
        "paths": {},
        "components": {},
    }
    for name, document in documents.items():
        _add(merged, name, document, {shape(one.path) for one in at_root if one.contract == name})
    return merged


def _add(merged: dict[str, Any], name: str, document: Mapping[str, Any], shapes: set[str]) -> None:
    """Add a contract's operations. shapes: the shapes of the contract's paths at the root."""
    if not shapes:
        return
    for path, item in document["paths"].items():
        if shape(path) in shapes:
            merged["paths"][path] = _path_item(name, item, document.get("security"))
    merged["tags"] += [tag | {"name": f"{name}.{tag['name']}"} for tag in document.get("tags", ())]
    for kind, components in document["components"].items():
        named = {f"{name}.{key}": _renamed(name, value) for key, value in components.items()}
        merged["components"].setdefault(kind, {}).update(named)


def _path_item(name: str, item: Mapping[str, Any], security: Any) -> dict[str, Any]:
    renamed: dict[str, Any] = _renamed(name, item)
    for method in _METHODS & renamed.keys():
        operation = renamed[method]
        operation["operationId"] = f"{name}.{operation['operationId']}"
        operation["tags"] = [f"{name}.{tag}" for tag in operation.get("tags", ())]
        required = operation.get("security", security)
        if required is not None:
            operation["security"] = [
                {f"{name}.{scheme}": scopes for scheme, scopes in one.items()} for one in required
            ]
    return renamed


def _renamed(name: str, value: Any) -> Any:
    """Return a part of a contract's document whose references lead to the merged components."""
    if isinstance(value, dict):
        return {key: _renamed(name, item) for key, item in value.items()}
    if isinstance(value, list):
        return [_renamed(name, item) for item in value]
    if isinstance(value, str) and value.startswith(_COMPONENTS):
        kind, _, key = value.removeprefix(_COMPONENTS).partition("/")
        return f"{_COMPONENTS}{kind}/{name}.{key}"
    return value
