"""A document's schemas, closed for answers, which may only have the properties that they state.

JSON Schema lets an object have any property beside those it lists. Here an object that lists properties has
no others, unless its schema says which others it may have (`additionalProperties`, `patternProperties`,
`unevaluatedProperties`). An object that lists none stays a map. What only requests may add to an object that
they share with answers is closed too: fields without effect (`x-ignores-unknown`), and null for absent ones.
"""

from collections.abc import Iterator
from typing import Any, Final, Literal

import jsonschema_rs

from verbatim_kit.judge.exchange import Fault
from verbatim_kit.judge.keywords import KEYWORDS
from verbatim_kit.judge.references import resolve

Schema = dict[str, Any]
# How a schema is taken: closed; closed only inside, where what stands around it closes it; or as it stands.
Kind = Literal["closed", "open", "plain"]

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
# Keywords whose schemas are for the same value, and those whose schemas are only conditions.
_IN_PLACE: Final = ("anyOf", "oneOf", "allOf")
_CONDITIONS: Final = ("if", "then", "else", "not", "contains", "propertyNames")
_OTHERS: Final = ("additionalProperties", "patternProperties", "unevaluatedProperties")
# What a format says of a number in the OpenAPI format registry, which JSON Schema leaves without a meaning.
_BOUNDS: Final = {
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
}


class Schemas:
    """The validators for the schemas of one document, each compiled once."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self._definitions: dict[str, Any] = {}
        self._rules: dict[str, Rule] = {}

    def rule(self, schema: Schema) -> "Rule":
        """Return the rule of a schema in the document."""
        return self._compile(schema, "closed")

    def condition(self, schema: Schema) -> "Rule":
        """Return the rule of a schema that is a condition, and not closed: other properties do not matter."""
        return self._compile(schema, "plain")

    def _compile(self, schema: Schema, kind: Kind) -> "Rule":
        key = f"{kind} {schema!r}"
        if key not in self._rules:
            taken = self._take(schema, kind)
            self._rules[key] = Rule({"$schema": _DIALECT, "allOf": [taken], "$defs": self._definitions})
        return self._rules[key]

    def _take(self, schema: Any, kind: Kind) -> Any:
        """Return a schema for the validator. A union is closed branch by branch, if it
        has no sibling keywords.
        """
        if not isinstance(schema, dict):
            return schema
        if kind != "plain" and is_opened_for_requests(schema):
            schema = {key: value for key, value in schema.items() if key != "additionalProperties"}
        taken = self._rewrite(schema, kind)
        if kind != "closed" or any(key in schema for key in _OTHERS):
            return taken
        num_in_place = sum(key in schema for key in (*_IN_PLACE, "$ref"))
        if num_in_place == 0 and schema.get("properties"):
            return {**taken, "additionalProperties": False}
        if num_in_place > 1 or (num_in_place and ("properties" in schema or "allOf" in schema)):
            return {**self._rewrite(schema, "open"), "unevaluatedProperties": False}
        return taken

    def _rewrite(self, schema: Schema, kind: Kind) -> Schema:
        inside: Kind = "plain" if kind == "plain" else "closed"
        rewritten: Schema = {}
        for key, value in schema.items():
            if key == "$ref":
                rewritten[key] = self._definition(value, kind)
            elif key in _IN_PLACE:
                rewritten[key] = [self._take(branch, kind) for branch in value]
            elif key in ("properties", "patternProperties"):
                rewritten[key] = {name: self._take(inner, inside) for name, inner in value.items()}
            elif key == "prefixItems":
                rewritten[key] = [self._take(inner, inside) for inner in value]
            elif key in ("items", "additionalProperties", "unevaluatedProperties"):
                rewritten[key] = self._take(value, inside)
            else:
                rewritten[key] = self._take(value, "plain") if key in _CONDITIONS else value
        return _bounded(rewritten)

    def _definition(self, reference: str, kind: Kind) -> str:
        name = f"{kind}:{reference.removeprefix('#/').replace('/', '.')}"
        if name not in self._definitions:
            self._definitions[name] = {}  # it may refer to itself
            self._definitions[name] = self._take(resolve(self._document, {"$ref": reference}), kind)
        return f"#/$defs/{name}"


def is_opened_for_requests(schema: Schema) -> bool:
    """Return whether an object with properties takes others only in requests, where they have no effect."""
    takes_null_alone = "properties" in schema and schema.get("additionalProperties") == {"type": "null"}
    return takes_null_alone or bool(schema.get("x-ignores-unknown"))


def _bounded(schema: Schema) -> Schema:
    """Return the schema with the bounds of its format, unless it states narrower ones."""
    if "integer" not in schema.get("type", ()) or schema.get("format") not in _BOUNDS:
        return schema
    least, most = _BOUNDS[schema["format"]]
    return {
        **schema,
        "minimum": max(least, schema.get("minimum", least)),
        "maximum": min(most, schema.get("maximum", most)),
    }


class Rule:
    """One compiled schema."""

    def __init__(self, schema: Schema) -> None:
        self._validator = jsonschema_rs.validator_for(schema, validate_formats=True, keywords=KEYWORDS)

    def allows(self, value: Any) -> bool:
        """Return whether a JSON value is valid."""
        return self._validator.is_valid(value)

    def faults(self, value: Any, place: str) -> list[Fault]:
        """Return all faults of a JSON value at a place."""
        if self.allows(value):
            return []
        return [fault for error in self._validator.iter_errors(value) for fault in _faults_of(error, place)]


def _faults_of(error: jsonschema_rs.ValidationError, place: str) -> Iterator[Fault]:
    """Yield the fault of an error, or those of the branch of a union that the value comes closest to."""
    branches = getattr(error.kind, "context", None)
    if branches and all(branches):
        for inner in min(branches, key=_distance):
            yield from _faults_of(inner, place)
        return
    undeclared = ("additionalProperties", "unevaluatedProperties")
    check = "undeclared" if error.kind.name in undeclared else "schema"
    message = (
        error.message if len(error.message) < 300 else f"{error.message[:140]} ... {error.message[-140:]}"
    )
    yield Fault(check, "/".join([place, *map(str, error.instance_path)]), message)


def _distance(branch: list[jsonschema_rs.ValidationError]) -> tuple[int, int]:
    """Return the distance of a branch; one with another constant or type was not the one that was meant."""
    foreign = sum(error.kind.name in ("const", "enum", "type") for error in branch)
    return foreign, len(branch)
