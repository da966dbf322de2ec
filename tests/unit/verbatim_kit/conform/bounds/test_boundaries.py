"""Tables of bounds, of small documents whose bounds are known."""

import json
from typing import Any

import pytest

from verbatim_kit.conform.bounds.boundaries import Row, Table, Verdict
from verbatim_kit.conform.document import Endpoint, endpoints
from verbatim_kit.conform.place import ABSENT
from verbatim_kit.conform.rules import Ban, Companion, Rules, is_above


def table(bounded: dict[str, Any], rules: Rules | None = None, **example: Any) -> tuple[Table, Endpoint]:
    """Return the table and the endpoint of an operation whose body adds one field to the example's."""
    schema = {"type": "object", "properties": {"field": bounded, "other": {}}, "required": ["field"]}
    media = {"schema": schema, "example": example}
    operation = {
        "operationId": "ask",
        "requestBody": {"required": True, "content": {"application/json": media}},
        "responses": {"200": {"description": "Yes"}, "400": {"description": "No"}},
    }
    document = {"openapi": "3.1.0", "paths": {"/ask": {"post": operation}}}
    return Table(document, rules or Rules(), {}), next(iter(endpoints(document)))


def rows(bounded: dict[str, Any], rules: Rules | None = None, **example: Any) -> list[Row]:
    """Return the rows of that field."""
    made, _ = table(bounded, rules, **example)
    return [row for row in made.rows() if row.field.startswith("field")]


def values(found: list[Row], verdict: Verdict) -> set[str]:
    """Return the field's values under a verdict as JSON, because Python takes 1 for true."""
    tried = (
        row.value
        for row in found
        if row.verdict is verdict and row.field == "field" and row.value is not ABSENT
    )
    return {json.dumps(value) for value in tried}


LIST = {"type": "array", "items": {"type": "string"}, "maxItems": 1}
INT = {"type": "integer", "minimum": 1, "maximum": 5}


@pytest.mark.parametrize(
    ("field", "example", "inside", "outside"),
    [
        (INT, 3, [1, 2], [0]),
        (INT, 3, [4, 5], [6]),
        ({"type": "string", "minLength": 2, "maxLength": 3}, "abc", ["ab", "abc"], ["a"]),
        ({"type": "string", "minLength": 2, "maxLength": 3}, "abc", ["abc"], ["abca"]),
        (LIST, ["a"], [["a"]], [["a", "a"]]),
        ({"type": "string", "enum": ["a", "b"]}, "a", ["a", "b"], ["a_", "A", "", "b_", "B"]),
        ({"type": "boolean", "const": True}, True, [True], ["true", False, 1]),
        ({"type": "number", "exclusiveMinimum": 0}, 1, [5e-324], [-5e-324, 0]),
        ({"type": "integer", "multipleOf": 4}, 4, [4, 8], [6.0]),
    ],
)
def test_values_at_just_inside_and_just_outside(
    field: dict[str, Any], example: Any, inside: list[Any], outside: list[Any]
) -> None:
    found = rows(field, field=example)
    accepted, refused = values(found, Verdict.ACCEPTED), values(found, Verdict.REFUSED)
    assert {json.dumps(value) for value in inside} <= accepted
    assert {json.dumps(value) for value in outside} <= refused
    assert not accepted & refused


def test_a_wrong_type_and_a_missing_field_are_refused() -> None:
    found = rows(INT, field=3)
    assert {"null", "true", "1.5", '"1"', "[]", "{}"} <= values(found, Verdict.REFUSED)
    assert [row.verdict for row in found if row.value is ABSENT] == [Verdict.REFUSED]
    assert all(row.names == ("field",) for row in found)


def test_fields_are_reached_that_no_example_has() -> None:
    inner = {"type": "object", "required": ["n"], "properties": {"n": INT}}
    union = {"anyOf": [{"type": "null"}, {"type": "array", "items": {"oneOf": [inner, {"type": "string"}]}}]}
    found = rows(union, field=None)
    assert 6 in [row.value for row in found if row.field == "field[0].n" and row.verdict is Verdict.REFUSED]


def test_rules_add_companions_and_forbid_values() -> None:
    rules = Rules(
        companions=(Companion("*", "field", {("other",): 1}, "they go together"),),
        bans=(Ban("*", "field", "too dear", is_above(4)), Ban("/no", "field", "elsewhere")),
    )
    found = rows(INT, rules, field=3)
    assert all(row.request.body["other"] == 1 for row in found if row.value is not ABSENT)
    banned = next(row for row in found if row.value == 5)
    assert (banned.verdict, banned.reason, banned.names) == (Verdict.REFUSED, "too dear", ())


def test_earlier_requests_decide_about_what_a_stateful_operation_may_be_sent() -> None:
    made, endpoint = table(INT, field=3)
    endpoint = endpoint._replace(is_stateful=True)
    found = list(made.rows_of(endpoint))
    assert {"1", "2"} <= values(found, Verdict.EITHER)
    assert "0" in values(found, Verdict.REFUSED) and not values(found, Verdict.ACCEPTED)
    assert made.may_be_refused(endpoint, {"field": 3})


def test_an_example_may_be_refused_where_a_rule_says_so() -> None:
    made, endpoint = table(INT, Rules(bans=(Ban("*", "field", "too dear", is_above(4), True),)), field=3)
    assert not made.may_be_refused(endpoint, {"field": 4})
    assert made.may_be_refused(endpoint, {"field": 5})


def test_a_list_in_the_query_is_tried_an_item_at_a_time() -> None:
    schema = {"type": "array", "items": {"type": "string", "enum": ["x"]}, "maxItems": 1}
    answers = {status: {"description": "Told"} for status in ("200", "400")}
    asked = {"operationId": "ask", "parameters": [{"name": "a[]", "in": "query", "schema": schema}]}
    document = {"openapi": "3.1.0", "paths": {"/ask": {"get": {**asked, "responses": answers}}}}
    tried = {row.request.path: row.verdict for row in Table(document, Rules(), {}).rows()}
    assert tried["/ask?a%5B%5D=x"] is Verdict.ACCEPTED
    assert tried["/ask?a%5B%5D=x&a%5B%5D=x"] is Verdict.REFUSED
