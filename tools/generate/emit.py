"""Writes one contract's generated files, and the parts that all contracts share."""

import shutil
from pathlib import Path

import jinja2
from openapi_spec_validator import OpenAPIV31SpecValidator, OpenAPIV32SpecValidator
from openapi_spec_validator.validation.types import SpecValidatorType

from .document import Document, SpecError, dump_document, load_document
from .interface import Interface
from .models import render_models
from .overlay import apply_overlay
from .reader import read_operations
from .twin import fuzz_twin
from .upgrade import upgrade

_HERE = Path(__file__).parent


def find_inputs(folder: Path) -> list[Path]:
    """The document of a contract and, if it has one, its overlay."""
    documents = sorted(folder.glob("openapi.*"))
    if len(documents) != 1:
        raise SpecError((), f"{folder.name} must hold one openapi.json or openapi.yaml, not {len(documents)}")
    overlay = folder / "overlay.yaml"
    return [*documents, overlay] if overlay.exists() else documents


def effective_document(folder: Path) -> Document:
    """The contract's document with its overlay, as OpenAPI 3.1: what is served and what is generated from."""
    source, *overlays = find_inputs(folder)
    document: Document = load_document(source)
    for overlay in overlays:
        document = apply_overlay(document, load_document(overlay))
    document = upgrade(document)
    _validate(document, OpenAPIV31SpecValidator)
    return document


def emit_contract(folder: Path, target: Path) -> None:
    """Writes openapi.json, fuzz.json, models.py and operations.py of the contract in `folder`."""
    document = effective_document(folder)
    operations = read_operations(document)
    twin = fuzz_twin(document)
    _validate(twin, OpenAPIV32SpecValidator)
    files = {
        "__init__.py": f'"""{document["info"]["title"]}, generated from specs/{folder.name}."""\n',
        "openapi.json": dump_document(document),
        "fuzz.json": dump_document(twin),
        "models.py": render_models(document, operations),
        "operations.py": _render_operations(document, operations),
    }
    target.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (target / name).write_text(_header(name, folder.name) + text, encoding="utf-8")


def emit_shared(target: Path) -> None:
    """Writes what every contract's generated code imports."""
    target.mkdir(parents=True, exist_ok=True)
    (target / "__init__.py").write_text('"""What follows from specs/; `make generate` writes all of it."""\n')
    for source in sorted((_HERE / "emitted").glob("*.py")):
        shutil.copyfile(source, target / source.name)


def _header(name: str, contract: str) -> str:
    if not name.endswith(".py"):
        return ""
    return f"# Generated from specs/{contract}: mend the document or its overlay, never this file.\n"


def _render_operations(document: Document, operations: list[Interface]) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["literal"] = repr
    environment.filters["docstring"] = _docstring
    template = environment.get_template("operations.py.jinja")
    return template.render(info=document["info"], operations=operations)


def _docstring(text: str) -> str:
    """Text of a document, on one line and harmless inside a docstring."""
    return " ".join(text.split()).replace("\\", "\\\\").replace('"', "'")


def _validate(document: Document, validator: SpecValidatorType) -> None:
    for error in validator(document).iter_errors():
        place = tuple(str(part) for part in error.absolute_path)
        raise SpecError(place, f"not valid OpenAPI: {error.message[:500]}")
