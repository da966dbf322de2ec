"""The check that a value of finite length matches a JSON Schema."""

from collections.abc import Iterator

from engine.grammar.schema.document import ALTERNATIVES, SchemaDocument
from engine.grammar.schema.walk import Schema
from engine.port.errors import InvalidGrammar
from verbatim_kit.json_pointer import escaped_step

_Place = str  # in `SchemaDocument.schemas`


def check_finiteness(document: SchemaDocument) -> None:
    """Check that some value of the root can end.

    Raises InvalidGrammar, which names the place at which every value would be endless. A linked list whose
    `next` is required and never null is endless. A schema that the root's value need not use may be endless,
    since the model can avoid it.
    """
    endless = _endless_places(document)
    if "#" in endless:
        raise InvalidGrammar(
            f"JSON Schema at {_place_of_return(document, endless)}: a value would go on without end, since "
            "it must hold itself"
        )


def _endless_places(document: SchemaDocument) -> frozenset[_Place]:
    """Return the greatest set of schemas each of which needs another one of the set."""
    endless = set(document.schemas)
    needed_by: dict[_Place, list[_Place]] = {}
    for place in document.schemas:
        for group in _needs(document, place):
            for inner in group:
                needed_by.setdefault(inner, []).append(place)
    waiting = list(document.schemas)
    while waiting:
        place = waiting.pop()
        if place in endless and not _is_endless(document, place, endless):
            endless.remove(place)
            waiting += needed_by.get(place, ())
    return frozenset(endless)


def _is_endless(document: SchemaDocument, place: _Place, endless: set[_Place]) -> bool:
    return any(all(inner in endless for inner in group) for group in _needs(document, place))


def _needs(document: SchemaDocument, place: _Place) -> Iterator[list[_Place]]:
    """Yield groups of schemas: a value needs a value of one schema of each group. Yields nothing where that
    is not certain."""
    schema = document.schemas[place]
    if "$ref" in schema:
        yield [schema["$ref"]]
        return
    for keyword in ALTERNATIVES:
        if keyword in schema:
            members = schema[keyword]
            if all(isinstance(member, dict) for member in members) and members:
                yield [f"{place}/{keyword}/{index}" for index in range(len(members))]
            return
    if "enum" in schema or "const" in schema:
        return
    if _is_only(schema, "object", "properties"):
        properties = schema.get("properties", {})
        for name in schema.get("required", ()):
            if isinstance(properties.get(name), dict):
                yield [f"{place}/properties/{escaped_step(name)}"]
        if schema.get("minProperties", 0) > len(properties) and isinstance(
            schema.get("additionalProperties"), dict
        ):
            yield [f"{place}/additionalProperties"]
    elif _is_only(schema, "array", "items", "prefixItems"):
        yield from ([f"{place}/{step}"] for step in _needed_items(schema))


def _is_only(schema: Schema, type_name: str, *implied_by: str) -> bool:
    """Return whether all values are of that type."""
    declared = schema.get("type", type_name if any(keyword in schema for keyword in implied_by) else "")
    return declared in (type_name, [type_name])


def _needed_items(schema: Schema) -> Iterator[str]:
    prefix, num_needed = schema.get("prefixItems", []), schema.get("minItems", 0)
    for index, item in enumerate(prefix[:num_needed]):
        if isinstance(item, dict):
            yield f"prefixItems/{index}"
    if isinstance(schema.get("items"), dict) and num_needed > len(prefix):
        yield "items"


def _place_of_return(document: SchemaDocument, endless: frozenset[_Place]) -> _Place:
    """Return the place at which the path through needed schemas returns to one that it has passed."""
    place, passed = "#", set[_Place]()
    while True:
        passed.add(place)
        following = next(
            group for group in _needs(document, place) if all(inner in endless for inner in group)
        )[0]
        if following in passed:
            return place
        place = following
