"""`verbatim-kit new NAME --document FILE`"""

import argparse
import shutil
import sys
from pathlib import Path
from typing import Any

import yaml

from verbatim_kit.generate.documents.document import Document, SpecError, load_document, resolve
from verbatim_kit.generate.emit import effective_document
from verbatim_kit.generate.reading.interface import Interface
from verbatim_kit.generate.reading.naming import is_identifier, pascal_case
from verbatim_kit.generate.reading.reader import read_operations
from verbatim_kit.generate.template import template_environment
from verbatim_kit.generate.tree import build_tree, format_code
from verbatim_kit.new.overlay import error_overlay

_TEMPLATES = Path(__file__).parent / "templates"
_TAKEN = {"generated", "handlers", "specs", "tests", "verbatim_kit"}


def main(arguments: list[str] | None = None) -> int:
    """Write a project into a new folder. Return the exit status: 2 for a document that it cannot serve."""
    options = _parse(arguments)
    folder = options.into or Path(options.name)
    try:
        if not is_identifier(options.name) or options.name in _TAKEN:
            raise SpecError((), f"{options.name!r} cannot name a package")
        if folder.exists() and any(folder.iterdir()):
            raise FileExistsError(f"{folder} is not empty")
        _write_project(options.name, options.document, folder)
    except (OSError, SpecError) as error:
        print(f"verbatim-kit: error: {error}", file=sys.stderr)
        return 2
    handlers = folder / options.name / "handlers.py"
    print(f"{handlers} is yours to fill in. `make setup` installs, `make serve` serves.")
    return 0


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="verbatim-kit new", description="Begin a project from a document.")
    parser.add_argument("name", metavar="NAME", help="its name, and that of its package and contract")
    parser.add_argument("--document", required=True, type=Path, help="OpenAPI 3.0 to 3.2 as JSON or YAML")
    parser.add_argument("--into", type=Path, metavar="DIR", help="an empty or new folder (default: NAME)")
    return parser.parse_args(arguments)


def _write_project(name: str, source: Path, folder: Path) -> None:
    """Write the project and generate its code. Raises SpecError, OSError."""
    document: Document = load_document(source)
    specs = folder / "specs" / name
    specs.mkdir(parents=True)
    shutil.copyfile(source, specs / f"openapi{source.suffix}")
    overlay = error_overlay(document)
    if overlay is not None:
        (specs / "overlay.yaml").write_text(yaml.safe_dump(overlay, sort_keys=False), encoding="utf-8")
    effective = effective_document(specs)
    operations = read_operations(effective)
    values = {
        "name": name,
        "title": pascal_case(name),
        "operations": operations,
        "error": _error_fields(effective, operations[0]),
    }
    environment = template_environment(_TEMPLATES)
    for template in environment.list_templates():
        path = folder / template.removesuffix(".jinja").replace("NAME", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(environment.get_template(template).render(values), encoding="utf-8")
    build_tree(folder, folder / "generated", [name])
    format_code(folder / name)


def _error_fields(document: Document, operation: Interface) -> Document:
    """Return the class of an operation's first error, and what its required members are filled with."""
    model = next(error.model for error in operation.errors if error.model is not None)
    schema, _ = resolve(document, {"$ref": f"#/components/schemas/{model.removeprefix('m.')}"}, ())
    members = schema.get("properties", {})
    fields = {member: _filling(member, members.get(member, {})) for member in schema.get("required", members)}
    return {"model": model, "fields": fields}


def _filling(member: str, schema: dict[str, Any]) -> str:
    match schema.get("type"):
        case "integer" | "number":
            return "problem.status"
        case "string" if member in ("code", "kind", "type"):
            return "problem.kind"
        case "string":
            return "problem.message"
    return f'NotImplemented  # "{member}" is yours to fill in'


if __name__ == "__main__":
    sys.exit(main())
