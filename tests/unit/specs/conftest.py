"""The contracts as they are served."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from verbatim_kit.generate.documents.document import Document
from verbatim_kit.generate.emit import effective_document

SPECS = Path(__file__).parents[3] / "specs"

Accepts = Callable[[str, Any], bool]


@cache
def effective(contract: str) -> Document:
    return effective_document(SPECS / contract)


def validator(document: Document, schema: Any) -> jsonschema_rs.Validator:
    """For a schema that stands in the document; its references resolve there."""
    return jsonschema_rs.validator_for(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "components": document.get("components", {}),
            "allOf": [schema],
        }
    )


@pytest.fixture(scope="module")
def accepts(request: pytest.FixtureRequest) -> Accepts:
    """Return whether a component schema of the module's CONTRACT accepts a JSON value."""
    document = effective(request.module.CONTRACT)
    validators = cache(lambda name: validator(document, {"$ref": f"#/components/schemas/{name}"}))
    return lambda name, value: bool(validators(name).is_valid(value))
