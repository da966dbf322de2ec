"""For every request body of every contract: its models and its JSON Schema accept the same values.

The models come from one reading of the document and jsonschema-rs from another, so that neither can be wrong
alone. Valid bodies are generated; then parts of each are taken out, added, or replaced by near misses.
"""

import json
import os
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import jsonschema_rs
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from pydantic import ValidationError
from schemathesis.core import NotSet

from tests.support.selection.effort import trials
from verbatim_kit.generate.documents.document import resolve
from verbatim_kit.generate.documents.schemas import sub_schemas
from verbatim_kit.runtime.operation import FormField, Operation
from verbatim_kit.runtime.reading.fail_fast import fail_fast_schema, fail_fast_validator
from verbatim_kit.runtime.reading.ignored_fields import taking_unknown_fields
from verbatim_kit.runtime.upload import Upload

GENERATED = Path(__file__).parents[3] / "generated"
CONTRACTS = sorted(path.parent.name for path in GENERATED.glob("*/openapi.json"))
NUM_BODIES = int(os.environ.get("VERBATIM_FUZZ_EXAMPLES", trials(3, whole=6)))
NUM_VARIATIONS = trials(20, whole=1500)  # of each body

# Near misses of every JSON type.
INTRUDERS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 1.0, 1.5, 2**31, 2**64, 10**30, 1e300, "", "1", "true", "\x00", "é",
    [], {}, [None], [""], [[]], [{}], {"": None},
)  # fmt: skip


@cache
def document(contract: str) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads((GENERATED / contract / "openapi.json").read_bytes())
    return parsed


@cache
def openapi(contract: str) -> Any:
    return schemathesis.openapi.from_dict(document(contract))


def bodies() -> list[tuple[str, Operation]]:
    """An operation for each body of each contract."""
    found: dict[Any, tuple[str, Operation]] = {}
    for contract in CONTRACTS:
        for operation in import_module(f"generated.{contract}.operations").OPERATIONS:
            if operation.body:
                found.setdefault(operation.body, (contract, operation))
    return list(found.values())


def template(operation: Operation) -> str:
    """The path as the document has it."""
    return operation.path.replace(":path}", "}")


def validator(contract: str, operation: Operation) -> jsonschema_rs.Validator:
    source = document(contract)
    node = source["paths"][template(operation)][operation.method.lower()]["requestBody"]
    content = resolve(source, node, ())[0]["content"]
    dialect = "https://json-schema.org/draft/2020-12/schema"
    schema = next(iter(content.values()))["schema"]
    return jsonschema_rs.validator_for({"$schema": dialect, "components": source["components"], **schema})


def accepts(operation: Operation, models: Any, body: Any) -> ValidationError | None:
    """Validate a body by the models. Return their error, or None where they accept it.

    A form's values are what the reader of forms makes of its parts: a text of a file is an Upload.
    """
    try:
        if operation.form and isinstance(body, dict):
            models.validate_python(dict(values_of(operation, body)))
        else:
            models.validate_json(json.dumps(body, allow_nan=False))
    except ValidationError as error:
        return error
    return None


def plain(value: Any) -> Any:
    """Return a value of a form as JSON has it; schemathesis draws files as bytes in a wrapper."""
    data = getattr(value, "data", value)
    return "a" if isinstance(data, bytes) else data


def values_of(operation: Operation, body: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    fields = {field.name: field for field in operation.form}
    for name, value in body.items():
        field = fields.get(name, FormField(name, "text"))
        is_file = field.kind == "file" and isinstance(value, str)
        yield field.member, Upload("", "", value.encode()) if is_file else value


Rivals = dict[str, list[Any]]


@cache
def rivals(contract: str) -> list[Rivals]:
    """For each component, and each of its properties, values on, inside and outside the property's bounds."""
    found = []
    for component in document(contract)["components"]["schemas"].values():
        values: Rivals = defaultdict(lambda: list(INTRUDERS))
        for name, schema in properties(component):
            values[name] += edges(schema)
        if values:
            found.append(values)
    return found


def properties(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every property inside a schema, with each schema that is an alternative for it."""
    for steps, inner in sub_schemas(schema):
        if isinstance(inner, dict):
            if steps[0] == "properties":
                alternatives = (part for key, part in sub_schemas(inner) if key[0] in ("anyOf", "oneOf"))
                yield from ((steps[1], part) for part in (inner, *alternatives))
            yield from properties(inner)


def edges(schema: dict[str, Any]) -> Iterator[Any]:
    for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        if key in schema:
            # Beyond 2**53 a half is lost, and what a double's shortest text says is not what the double is.
            steps = (-1, -0.5, 0, 0.5, 1) if abs(schema[key]) < 2**53 else (-1, 0, 1)
            yield from (schema[key] + step for step in steps)
    for key, unit in (("minLength", "a"), ("maxLength", "a"), ("minItems", ["a"]), ("maxItems", ["a"])):
        if key in schema:
            yield from (unit * (schema[key] + step) for step in (-1, 0, 1))
    yield from (value for constant in schema.get("enum", []) for value in (constant, f"{constant} "))


def variation(value: Any, components: list[Rivals], random: Random) -> Any:
    """A value that differs from a JSON value in one place: a part is gone, new or another."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    parts = list(items)
    if parts and random.random() < 0.6:
        key, part = random.choice(parts)
        inner = variation(part, components, random)
        return {**value, key: inner} if isinstance(value, dict) else [*value[:key], inner, *value[key + 1 :]]
    if isinstance(value, dict):
        return vary_object(value, components, random)
    if isinstance(value, list) and random.random() < 0.5:
        return [*value, random.choice(INTRUDERS)]
    return random.choice(INTRUDERS)


def vary_object(value: dict[str, Any], components: list[Rivals], random: Random) -> dict[str, Any]:
    """Takes a member out, or sets one that the component has which the object looks like."""
    if value and random.random() < 0.2:
        gone = random.choice(list(value))
        return {key: part for key, part in value.items() if key != gone}
    random.shuffle(components)
    component = max(components, key=lambda names: len(names.keys() & value.keys()))
    name = random.choice(list(component))
    return {**value, name: random.choice(component[name])}


@pytest.mark.parametrize(("contract", "operation"), bodies(), ids=lambda value: getattr(value, "id", value))
def test_models_and_schema_give_the_same_verdict(contract: str, operation: Operation) -> None:
    schema = validator(contract, operation)
    models = fail_fast_validator(taking_unknown_fields(fail_fast_schema(operation.body), takes_all=False))
    endpoint = openapi(contract)[template(operation)][operation.method]

    # Nothing to shrink: a failure names the one place that was varied.
    @settings(
        max_examples=NUM_BODIES,
        phases=[Phase.generate],
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(endpoint.as_strategy())
    def agree(case: schemathesis.Case[Any]) -> None:
        if isinstance(case.body, NotSet):  # no body, where none is needed
            return
        components, random = list(rivals(contract)), Random(0)
        drawn: Any = case.body
        if isinstance(drawn, dict) and operation.form:
            drawn = {name: plain(value) for name, value in drawn.items()}
        varied = (variation(drawn, components, random) for _ in range(NUM_VARIATIONS))
        for body in (drawn, *varied):
            error = accepts(operation, models, body)
            if error is not None:
                assert not schema.is_valid(body), f"only the models refuse {body!r}: {error}"
            else:
                found = None if schema.is_valid(body) else next(iter(schema.iter_errors(body)))
                assert found is None, f"only the schema refuses {body!r}: {found}"

    agree()
