"""Runs datamodel-code-generator: the components of an effective document as pydantic models."""

import ast
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from .document import Document, Pointer, Schema, SpecError, resolve
from .interface import Interface
from .reader import parameters_of

# strict-types: JSON has no coercion. use-missing-sentinel: absent and null are different answers.
# use-type-alias: a union or a bounded string is what it is, not a model with a `root`.
# import-overrides: pydantic's strict int rejects 1.0, its strict float takes NaN.
_FLAGS = (
    "--input-file-type=openapi",
    "--preset=standard-py311-20261027",
    "--target-pydantic-version=2.14",
    "--disable-timestamp",
    "--no-formatters",
    "--enum-field-as-literal=all",
    "--use-tag-as-union-variant-name",
    "--no-allow-population-by-field-name",
    "--use-missing-sentinel",
    "--use-type-alias",
    "--use-attribute-docstrings",
    "--use-field-description",
    "--use-schema-description",
    "--strict-refs",
)
_STRICT_TYPES = ("--strict-types", "bool", "int", "float", "str")
_NUMBERS = {name: "generated.json_types" for name in ("StrictInt", "StrictFloat")}


def render_models(document: Document, operations: list[Interface]) -> str:
    """`models.py`: every component schema, and the parameters of each operation that has some.

    SpecError names a component that operations refer to and that came out under no name of its own: names can
    clash, and what is no object may be written into the models that use it.
    """
    schemas = {**document.get("components", {}).get("schemas", {}), **_arguments(document, operations)}
    source = _run({**document, "paths": {}, "components": {"schemas": schemas}})
    defined = _top_level_names(source)
    for name in sorted({name for operation in operations for name in operation.models} - defined):
        raise SpecError(("components", "schemas", name), "operations refer to it, but no type has its name")
    return source


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
        properties[parameter["name"]] = {**schema, **description}
        if parameter.get("required"):
            required.append(parameter["name"])
    return {"type": "object", "properties": properties, "required": required}


def _run(document: Document) -> str:
    # In a folder of its own, so that no configuration file above reaches it.
    with TemporaryDirectory() as folder:
        Path(folder, "openapi.json").write_text(json.dumps(document), encoding="utf-8")
        command = [sys.executable, "-m", "datamodel_code_generator", "--input=openapi.json"]
        command += [
            "--output=models.py",
            *_FLAGS,
            *_STRICT_TYPES,
            f"--import-overrides={json.dumps(_NUMBERS)}",
        ]
        command += ["--custom-file-header", '"""The component schemas, and the parameters of operations."""']
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            reason = f"datamodel-code-generator fails: {result.stderr.strip()}"
            raise SpecError(("components", "schemas"), reason)
        return Path(folder, "models.py").read_text(encoding="utf-8")


def _top_level_names(source: str) -> set[str]:
    names = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names.update(target.id for target in targets if isinstance(target, ast.Name))
    return names
