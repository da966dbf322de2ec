"""Whatever a contract shows or assumes is itself valid by that contract."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from tests.unit.specs.conftest import SPECS, effective, validator
from verbatim_kit.generate.documents.document import (
    Document,
    Pointer,
    Schema,
    operations_of,
    render_pointer,
    resolve,
)
from verbatim_kit.generate.documents.schemas import map_schemas

CONTRACTS = sorted(folder.name for folder in SPECS.iterdir() if folder.is_dir())


def schemas(document: Document) -> list[tuple[Schema, Pointer]]:
    found: list[tuple[Schema, Pointer]] = []

    def collect(schema: Schema, at: Pointer) -> Schema:
        found.append((schema, at))
        return schema

    map_schemas(document, collect)
    return found


def contents(document: Document) -> Iterator[tuple[Document, Pointer]]:
    """Every media type object of requests and answers."""
    for _, _, operation, at in operations_of(document):
        holders = [(operation.get("requestBody", {}), (*at, "requestBody"))]
        holders += [(answer, (*at, "responses", status)) for status, answer in operation["responses"].items()]
        for node, node_at in holders:
            holder, place = resolve(document, node, node_at)
            for media_type, media in holder.get("content", {}).items():
                yield media, (*place, "content", media_type)


def shown(media: Document) -> list[Any]:
    single = [media["example"]] if "example" in media else []
    return single + [example["value"] for example in media.get("examples", {}).values()]


def broken(document: Document, shown: Sequence[tuple[Pointer, Schema, list[Any]]]) -> list[str]:
    """Return the faults of values by the schemas that they are shown for, each with its place.

    One validator judges all: each would read every component of the document again.
    """
    schemas = {render_pointer(at): {"items": schema} for at, schema, _ in shown}
    assert len(schemas) == len(shown), "two schemas have one place"
    values = {render_pointer(at): values for at, _, values in shown}
    check = validator(document, {"properties": schemas})
    return [f"{error.instance_path[0]}: {error.message}" for error in check.iter_errors(values)]


def test_a_value_that_its_schema_refuses_is_a_fault_at_its_place() -> None:
    schema = {"type": "integer"}
    shown = [(("a", "b"), schema, [1, "x"]), (("c",), {"$ref": "#/components/schemas/T"}, ["y", 2])]
    faults = broken({"components": {"schemas": {"T": {"type": "string"}}}}, shown)
    assert faults == ['#/a/b: "x" is not of type "integer"', '#/c: 2 is not of type "string"']


@pytest.mark.parametrize("contract", CONTRACTS)
def test_defaults_and_examples_of_schemas_are_valid(contract: str) -> None:
    document = effective(contract)
    found = [
        (at, schema, schema.get("examples", []) + ([schema["default"]] if "default" in schema else []))
        for schema, at in schemas(document)
    ]
    assert broken(document, found) == []


@pytest.mark.parametrize("contract", CONTRACTS)
def test_examples_of_requests_and_answers_are_valid(contract: str) -> None:
    document = effective(contract)
    found = {at: (at, media["schema"], shown(media)) for media, at in contents(document)}
    assert broken(document, list(found.values())) == []


@pytest.mark.parametrize("contract", CONTRACTS)
def test_every_request_and_answer_shows_an_example(contract: str) -> None:
    assert [render_pointer(at) for media, at in contents(effective(contract)) if not shown(media)] == []
