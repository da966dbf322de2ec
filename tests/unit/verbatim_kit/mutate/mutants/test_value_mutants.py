"""Tests which mutants a value has, and which of them its document excuses."""

from typing import Any

from verbatim_kit.mutate.mutants.declared import Reading
from verbatim_kit.mutate.mutants.seen import Seen
from verbatim_kit.mutate.mutants.value_mutants import value_mutants

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["kind"],
    "properties": {
        "kind": {"type": "string", "enum": ["a", "b"]},
        "size": {"type": ["integer", "null"], "minimum": 1},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "items": {"type": "array", "items": {"type": "object", "properties": {"index": {"type": "integer"}}}},
    },
}
VALUE = {"kind": "a", "size": 2, "labels": {"x": "y"}, "items": [{"index": 0}]}


def mutants(*shown: Any) -> dict[tuple[str, str], str | None]:
    """The excuse of each mutant, where other answers were as shown."""
    reading, seen = Reading({}), Seen()
    for value in (VALUE, *shown):
        seen.note(reading.parts(value, SCHEMA))
    return {(one.kind, one.place): one.excuse for one in value_mutants(VALUE, SCHEMA, reading, seen)}


def test_every_part_is_dropped_renamed_nulled_and_retyped() -> None:
    found = mutants()
    for name in VALUE:
        for kind in ("field dropped", "field renamed", "field nulled", "field retyped"):
            assert (kind, name) in found
    assert found["enum value changed", "kind"] is None
    assert found["number out of bounds", "size"] is None
    assert found["array emptied", "items"] is None
    assert found["item doubled", "items"] is None
    assert found["undeclared field added", "items/0/verbatim_mutant"] is None


def test_a_field_is_excused_only_where_the_document_and_an_answer_show_it() -> None:
    assert mutants()["field dropped", "size"] is None
    assert mutants({"kind": "b"})["field dropped", "size"] == "optional"
    assert mutants({"kind": "b"})["field dropped", "kind"] is None
    assert mutants({"kind": "b", "size": None})["field nulled", "size"] == "nullable"
    assert mutants({"kind": "b", "items": []})["array emptied", "items"] == "of any length"


def test_a_map_takes_any_entry() -> None:
    found = mutants()
    assert found["field dropped", "labels/x"] == "an entry of a map"
    assert found["undeclared field added", "labels/verbatim_mutant"] == "takes other fields"
    assert found["field retyped", "labels/x"] is None
