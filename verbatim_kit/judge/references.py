"""The references inside a document."""

from collections.abc import Mapping
from typing import Any

from verbatim_kit.json_pointer import ABSENT, target_of


def resolve(document: Mapping[str, Any], node: Any) -> Any:
    """Return the target of `$ref`s inside the document. Raises KeyError if there is none."""
    while isinstance(node, dict) and "$ref" in node:
        node, reference = target_of(document, node["$ref"]), node["$ref"]
        if node is ABSENT:
            raise KeyError(f"$ref {reference} leads nowhere")
    return node
