"""However many items of a body are wrong, the first one is found, and it alone is told."""

import json
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, StrictStr, TypeAdapter, ValidationError
from pydantic_core import SchemaValidator

from verbatim_kit.runtime.json_types import StrictInt
from verbatim_kit.runtime.reading.fail_fast import fail_fast_schema, fail_fast_validator


class Leaf(BaseModel):
    kind: Literal["leaf"]
    size: StrictInt


class Branch(BaseModel):
    kind: Literal["branch"]
    children: "list[Leaf | Branch]"


class Tree(BaseModel):
    model_config = ConfigDict(extra="forbid")

    root: Annotated[Leaf | Branch, Field(discriminator="kind")] | None = None
    type: Literal["list", "dict"] = "list"
    words: StrictStr | list[StrictStr] | list[StrictInt] | list[list[StrictInt]] = []
    scores: dict[str, StrictInt] = {}
    options: dict[str, Any] = {"type": "list"}


LEAF = {"kind": "leaf", "size": 1}


def errors(validator: SchemaValidator, body: Any) -> int:
    try:
        validator.validate_json(json.dumps(body))
    except ValidationError as error:
        return error.error_count()
    return 0


@pytest.mark.parametrize(
    "body",
    [
        {"words": [None] * 500},
        {"words": [[None] * 500] * 500},
        {"scores": {str(number): "x" for number in range(500)}},
        {"root": {"kind": "branch", "children": [{}] * 500}},
        {"root": {"kind": "branch", "children": [{"kind": "branch", "children": [LEAF, 5, 5]}] * 500}},
    ],
    ids=range(5),
)
def test_wrong_items_are_counted_once(body: Any) -> None:
    assert 0 < errors(fail_fast_validator(fail_fast_schema(Tree)), body) < 10
    assert errors(SchemaValidator(TypeAdapter(Tree).core_schema), body) > 100


@pytest.mark.parametrize(
    "body", [{}, {"words": ["a"]}, {"words": [[1], []]}, {"scores": {"a": 1}, "type": "dict", "root": LEAF}]
)
def test_what_is_right_gives_the_same_model(body: Any) -> None:
    raw = json.dumps(body)
    assert fail_fast_validator(fail_fast_schema(Tree)).validate_json(raw) == TypeAdapter(Tree).validate_json(
        raw
    )


def test_a_field_may_be_called_as_a_keyword_of_schemas_is() -> None:
    class Described(BaseModel):
        metadata: dict[str, StrictInt]
        default: list[StrictInt]

    body = {"metadata": {str(number): "x" for number in range(500)}, "default": [None] * 500}
    assert errors(fail_fast_validator(fail_fast_schema(Described)), body) == 2
