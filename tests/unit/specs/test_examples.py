"""Whatever a contract shows or assumes is itself valid by that contract."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.unit.specs.conftest import SPECS, effective, validator
from tools.generate.documents.document import (
    Document,
    Pointer,
    Schema,
    operations_of,
    render_pointer,
    resolve,
)
from tools.generate.documents.schemas import map_schemas

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


def broken(document: Document, schema: Schema, values: list[Any], at: Pointer) -> list[str]:
    check = validator(document, schema)
    return [
        f"{render_pointer(at)}: {error.message}" for value in values for error in check.iter_errors(value)
    ]


@pytest.mark.parametrize("contract", CONTRACTS)
def test_defaults_and_examples_of_schemas_are_valid(contract: str) -> None:
    document = effective(contract)
    faults = []
    for schema, at in schemas(document):
        values = schema.get("examples", []) + ([schema["default"]] if "default" in schema else [])
        faults += broken(document, schema, values, at)
    assert faults == []


@pytest.mark.parametrize("contract", CONTRACTS)
def test_examples_of_requests_and_answers_are_valid(contract: str) -> None:
    document = effective(contract)
    faults = []
    for media, at in contents(document):
        faults += broken(document, media["schema"], shown(media), at)
    assert faults == []


@pytest.mark.parametrize("contract", CONTRACTS)
def test_every_request_and_answer_shows_an_example(contract: str) -> None:
    assert [render_pointer(at) for media, at in contents(effective(contract)) if not shown(media)] == []
