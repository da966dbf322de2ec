"""Small documents, and what is generated from them."""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from verbatim_kit.generate.documents.document import Document
from verbatim_kit.generate.emit import emit_contract

OK = {
    "description": "Done",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Answer"}}},
}
INVALID = {
    "description": "Invalid",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Fault"}}},
}
BODY: dict[str, Any] = {
    "required": True,
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Question"}}},
}
FORM: dict[str, Any] = {
    "required": True,
    "content": {"multipart/form-data": {"schema": {"$ref": "#/components/schemas/Question"}}},
}


def operation(**changes: Any) -> Document:
    """An operation that takes a Question and answers with an Answer; None takes a key out."""
    base = {"operationId": "ask", "requestBody": BODY, "responses": {"200": OK, "422": INVALID}}
    return {key: value for key, value in {**base, **changes}.items() if value is not None}


def document(ask: Document | None = None, *, version: str = "3.1.0", **question: Any) -> Document:
    """A valid document with `POST /ask`; `question` are the properties of its body, all optional."""
    return {
        "openapi": version,
        "info": {"title": "Ask", "version": "1"},
        "paths": {"/ask": {"post": ask or operation()}},
        "components": {
            "schemas": {
                "Question": {"type": "object", "properties": question},
                "Answer": {
                    "type": "object",
                    "required": ["text"],
                    "properties": {"text": {"type": "string"}},
                },
                "Fault": {
                    "type": "object",
                    "required": ["reason"],
                    "properties": {"reason": {"type": "string"}},
                },
            }
        },
    }


def emit(folder: Path, source: Document) -> ModuleType:
    """Generates a contract from a document and imports its `operations`."""
    specs, package = folder / "specs" / "ask", folder / "emitted"
    specs.mkdir(parents=True)
    (specs / "openapi.json").write_text(json.dumps(source))
    emit_contract(specs, package)
    for name in [name for name in sys.modules if name.split(".")[0] == "emitted"]:
        del sys.modules[name]
    spec = importlib.util.spec_from_file_location(
        "emitted", package / "__init__.py", submodule_search_locations=[str(package)]
    )
    assert spec is not None
    sys.modules["emitted"] = importlib.util.module_from_spec(spec)
    return importlib.import_module("emitted.operations")
