"""Runs datamodel-code-generator for our own client of an API: msgspec structs that require nothing."""

from typing import Any, Final

from verbatim_kit.generate.documents.document import Document, Pointer, Schema, SpecError
from verbatim_kit.generate.documents.reach import reachable
from verbatim_kit.generate.documents.schemas import map_schemas
from verbatim_kit.generate.models import run_generator

STRUCTS: Final = "x-client-structs"

# Without bounds, enumerations and defaults: they are the server's to apply, and other servers have others.
_KEPT: Final = ("$ref", "type", "properties", "items", "allOf", "anyOf", "oneOf")
_OPTIONS: Final[dict[str, Any]] = {
    "input_file_type": "openapi",
    "output_model_type": "msgspec.Struct",
    "preset": "standard-py311-20261027",
    "disable_timestamp": True,
    "formatters": [],
    "strict_refs": True,
    "use_type_alias": True,
    "use_generic_container_types": True,
    "extra_template_data": {"#all#": {"base_class_kwargs": {"omit_defaults": True}}},
    "custom_file_header": '"""Parts of requests and answers as a client has them; None is absent or null."""',
}


def render_structs(document: Document, names: list[str]) -> str:
    """Return `structs.py`: the named schemas, and those that they refer to."""
    for name in names:
        if name not in document["components"]["schemas"]:
            raise SpecError((STRUCTS,), f"{name} is no schema")
    return run_generator(map_schemas(reachable(document, names), _optional), _OPTIONS)


def _optional(schema: Schema, at: Pointer) -> Schema:
    kept = {key: value for key, value in schema.items() if key in _KEPT}
    if "properties" in kept:
        # OpenAPI 3.0's word, for which the generator writes None, where 3.1's form gets a value of msgspec's.
        kept["properties"] = {name: {**inner, "nullable": True} for name, inner in kept["properties"].items()}
    return kept
