"""Runs datamodel-code-generator: the components of an effective document as pydantic models."""

import ast
import warnings
from collections.abc import Mapping
from typing import Any

from datamodel_code_generator import generate

from verbatim_kit.generate.documents.document import Document, Pointer, Schema, SpecError, resolve
from verbatim_kit.generate.documents.schemas import map_schemas
from verbatim_kit.generate.documents.unknown_fields import for_models
from verbatim_kit.generate.reading.form import bare_form, is_file
from verbatim_kit.generate.reading.interface import Interface
from verbatim_kit.generate.reading.reader import member_name, parameters_of

# strict_types: JSON has no coercion. use_missing_sentinel: absent and null are different answers.
# use_type_alias: a union or a bounded string is what it is, not a model with a `root`.
# import_overrides: pydantic's strict int rejects 1.0, its strict float takes NaN.
_OPTIONS: dict[str, Any] = {
    "input_file_type": "openapi",
    "preset": "standard-py311-20261027",
    "target_pydantic_version": "2.14",
    "disable_timestamp": True,
    "formatters": [],
    "enum_field_as_literal": "all",
    "strict_types": ["bool", "int", "float", "str"],
    "use_missing_sentinel": True,
    "use_type_alias": True,
    "use_tag_as_union_variant_name": True,
    "allow_population_by_field_name": False,
    "use_field_description": True,
    "use_schema_description": True,
    "strict_refs": True,
    "import_overrides": {name: "verbatim_kit.runtime.json_types" for name in ("StrictInt", "StrictFloat")},
    "custom_file_header": '"""The component schemas, and the parameters of operations."""',
}


def render_models(document: Document, operations: list[Interface]) -> str:
    """`models.py`: every component schema, and the parameters of each operation that has some.

    SpecError names a component that operations refer to and that came out under no name of its own: names can
    clash, and what is no object may be written into the models that use it.
    """
    schemas = {**document.get("components", {}).get("schemas", {}), **_arguments(document, operations)}
    for form in {str(operation.body)[2:] for operation in operations if operation.form}:
        schemas[form] = bare_form(schemas[form])
    bare = map_schemas({**document, "paths": {}, "components": {"schemas": schemas}}, _for_models)
    source = run_generator(bare, _OPTIONS)
    defined = top_level_names(source)
    for name in sorted({name for operation in operations for name in operation.models} - defined):
        raise SpecError(("components", "schemas", name), "operations refer to it, but no type has its name")
    return source


def without_deprecated(schema: Schema, at: Pointer) -> Schema:
    """A word to clients: pydantic would warn whoever reads such a field, which the handlers must do."""
    return {key: value for key, value in schema.items() if key != "deprecated"}


def _for_models(schema: Schema, at: Pointer) -> Schema:
    """A file, and a boolean with one value, get types of their own: Python's literals take 1 for true.

    With null beside it too, as the enumeration of a type that may be null.
    """
    bare = for_models(without_deprecated(schema, at), at)
    if is_file(bare):
        return {**bare, "customTypePath": "verbatim_kit.runtime.upload.Upload"}
    constants = [bare["const"]] if "const" in bare else bare.get("enum", [])
    booleans = [value for value in constants if isinstance(value, bool)]
    if len(booleans) != 1 or any(value is not None for value in constants if value is not booleans[0]):
        return bare
    only = {"type": "boolean", "customTypePath": f"verbatim_kit.runtime.json_types.Only{booleans[0]}"}
    if None not in constants:
        return {**{key: value for key, value in bare.items() if key not in ("const", "enum")}, **only}
    rest = {key: value for key, value in bare.items() if key not in ("type", "enum")}
    return {**rest, "anyOf": [only, {"type": "null"}]}


def _arguments(document: Document, operations: list[Interface]) -> dict[str, Schema]:
    """The parameters of an operation as one object schema, so that they are validated as a body is."""
    components = document.get("components", {}).get("schemas", {})
    schemas = {}
    for operation in operations:
        if operation.parameters:
            at: Pointer = ("paths", operation.path, operation.method.lower())
            if operation.arguments_model in components:
                raise SpecError(
                    at, f"its parameters and a component would both be {operation.arguments_model}"
                )
            schemas[operation.arguments_model] = _arguments_schema(document, operation, at)
    return schemas


def _arguments_schema(document: Document, operation: Interface, at: Pointer) -> Schema:
    node = document["paths"][operation.path][operation.method.lower()]
    properties, required = {}, []
    for parameter, place in parameters_of(document, operation.path, node, at):
        schema, _ = resolve(document, parameter["schema"], (*place, "schema"))
        description = {"description": parameter["description"]} if "description" in parameter else {}
        name = member_name(parameter, schema)
        properties[name] = {**schema, **description}
        if parameter.get("required"):
            required.append(name)
    return {"type": "object", "properties": properties, "required": required}


def run_generator(document: Document, options: Mapping[str, Any]) -> str:
    """The generator's output; SpecError where it fails or warns, for then it has passed over something."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # A remark on the value, nothing to check: the ranges of integer formats are written out.
        warnings.filterwarnings("ignore", "format of .* not understood")
        try:
            source = generate(document, **options)
        except Exception as error:
            raise SpecError(("components", "schemas"), f"datamodel-code-generator: {error}") from error
    assert isinstance(source, str), "one input without an output path gives one text"
    return source.rstrip() + "\n"


def top_level_names(source: str) -> set[str]:
    """The classes and other types that a module of generated types defines."""
    names = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names.update(target.id for target in targets if isinstance(target, ast.Name))
    return names
