"""Writes what one contract's server is written against."""

import functools
from collections.abc import Iterable
from pathlib import Path

import jinja2
from openapi_spec_validator import OpenAPIV32SpecValidator
from openapi_spec_validator.validation.exceptions import OpenAPIValidationError

from verbatim_kit.generate.documents.document import Document, SpecError, dump_document, load_document
from verbatim_kit.generate.documents.overlay import apply_overlay
from verbatim_kit.generate.documents.unknown_fields import state_unknown_fields
from verbatim_kit.generate.documents.upgrade import upgrade
from verbatim_kit.generate.inputs import find_inputs
from verbatim_kit.generate.models import render_models
from verbatim_kit.generate.reading.interface import Interface
from verbatim_kit.generate.reading.reader import read_operations
from verbatim_kit.generate.spec_validator import SpecValidator
from verbatim_kit.generate.structs import STRUCTS, render_structs
from verbatim_kit.generate.template import template_environment
from verbatim_kit.openapi.version_3_2 import as_3_2


def effective_document(folder: Path) -> Document:
    """The contract's document with its overlay, as OpenAPI 3.1: what is served and what is generated from."""
    source, *overlays = find_inputs(folder)
    document: Document = load_document(source)
    for overlay in overlays:
        document = apply_overlay(document, load_document(overlay))
    document = state_unknown_fields(upgrade(document))
    _refuse_first(SpecValidator(document).iter_errors(), "3.1")
    return document


def emit_contract(folder: Path, target: Path) -> Document:
    """Write openapi.json, openapi-3.2.json, models.py and operations.py of the contract in `folder`.

    With structs.py, where its documents list schemas for it. Return its effective document.
    """
    document = effective_document(folder)
    structs = document.pop(STRUCTS, ())
    operations = read_operations(document)
    newer = as_3_2(document)
    # Its schemas are the document's, which are found valid; the rest has another form.
    _refuse_first(OpenAPIV32SpecValidator.schema_validator.iter_errors(newer), "3.2")
    files = {
        "__init__.py": f'"""{document["info"]["title"]}, generated from specs/{folder.name}."""\n',
        "openapi.json": dump_document(document),
        "openapi-3.2.json": dump_document(newer),
        "models.py": render_models(document, operations),
        "operations.py": _render_operations(document, operations),
    }
    if structs:
        files["structs.py"] = render_structs(document, structs)
    target.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (target / name).write_text(_header(name, folder.name) + text, encoding="utf-8")
    return document


def _header(name: str, contract: str) -> str:
    if not name.endswith(".py"):
        return ""
    return f"# Generated from specs/{contract}: mend the document or its overlay, never this file.\n"


def _render_operations(document: Document, operations: list[Interface]) -> str:
    template = _environment().get_template("operations.py.jinja")
    return template.render(info=document["info"], operations=operations)


@functools.cache
def _environment() -> jinja2.Environment:
    return template_environment(Path(__file__).parent / "templates")


def _refuse_first(errors: Iterable[OpenAPIValidationError], version: str) -> None:
    for error in errors:
        place = tuple(str(part) for part in error.absolute_path)
        raise SpecError(place, f"not valid as OpenAPI {version}: {error.message[:500]}")
