"""The JSON Schemas that are enforced; others are refused rather than loosened.

This is Draft 2020-12. A schema is brought into a normal form here, and `writing` makes the rules of a grammar
from it. Each line below has tests in tests/unit/engine/grammar/schema.

enforced
    type (one or a list), enum, const, properties, required, additionalProperties, unevaluatedProperties,
    propertyNames, patternProperties, minProperties, maxProperties, items, prefixItems, unevaluatedItems,
    minItems, maxItems, minLength, maxLength, pattern, minimum, maximum, exclusiveMinimum, exclusiveMaximum,
    multipleOf, anyOf, oneOf, allOf, uniqueItems, not, if, then, else, dependentRequired, dependentSchemas,
    contains, minContains, maxContains, $ref to a place in the document, and the formats in
    `engine.grammar.patterns.formats`
rewritten, because older drafts wrote it so (`rewriting.drafts`)
    exclusiveMinimum and exclusiveMaximum as booleans, items of a tuple and additionalItems, dependencies,
    $recursiveRef; $id and $anchor in references, and $dynamicRef where the document has no $id inside
merged into one schema (`merging`)
    the schemas of allOf, the target of $ref and what stands beside it; what stands beside anyOf and oneOf
    goes into each alternative; enum and const keep the values that the keywords beside them allow
made into alternatives, because a grammar says only what is allowed (`rewriting.conditions`)
    not, if, then, else, dependentRequired, dependentSchemas, and oneOf whose schemas may overlap
excluded token by token (`engine.grammar.run_time`), because no context-free grammar compares items
    items of uniqueItems that are equal to earlier ones
narrower than the specification, so that the generated value is still valid
    properties come in the order of the schema; an object with `properties` and an array with `prefixItems`
    have no others unless the schema says so; a restriction of one type without a type means that type;
    numbers with bounds have no exponent, integers with bounds have 18 digits; multiples of a number have no
    zeros at the end; unique items are at most 256, numbers among them have at most 15 digits, and objects
    among them have only the properties that the schema names; an object with properties has no others
    beside patternProperties or propertyNames; the first items are those that contains asks for; `not` allows
    no other objects and arrays than those that a keyword about them leaves
ignored, as annotations
    title, description, default, examples, format (any other), and keywords that are not JSON Schema's, such
    as `x-order`, and OpenAPI's `nullable` and `discriminator`
refused, because a value would have no end
    a schema that its own values must contain, such as a linked list whose `next` is required and never null
refused, because nothing here enforces it
    `not` and `if` of multipleOf or uniqueItems; $dynamicRef beside an $id inside the document; uniqueItems of
    objects with any properties and of items that have unique items; `oneOf` of which no other words tell
    the schemas apart; two formats of one string; an enum of objects or arrays beside restrictions of their
    members; unevaluatedProperties beside anyOf or oneOf; patterns of patternProperties that one name may
    match together; patterns with back references, lookbehind, flags other than i, and anchors in a
    repetition
not checked
    a key that is none of the properties and comes twice
"""

import json
from collections.abc import Callable, Iterable
from typing import Final

from engine.grammar.patterns.normal_pattern import check_characters
from engine.grammar.schema.document import TOO_DEEP, SchemaDocument
from engine.grammar.schema.finiteness import check_finiteness
from engine.grammar.schema.merging.merger import merged_document
from engine.grammar.schema.rewriting.conditions import without_conditions
from engine.grammar.schema.rewriting.drafts import modern_schema
from engine.grammar.schema.rules import complaints, source_complaints
from engine.grammar.schema.walk import Schema
from engine.port.errors import InvalidGrammar

_MAX_DIGITS: Final = 300  # of an integer; a float holds a few more


def enforceable_document(source: object) -> SchemaDocument:
    """Return an equal document, or one that allows less, of the keywords that `engine.grammar.lark` writes.

    Raises InvalidGrammar, naming the place, for a schema that is malformed, out of bounds, or would be
    loosened.
    """
    if source is False:
        raise InvalidGrammar("JSON Schema: false allows no value")
    modern = modern_schema({} if source is True else source)
    check_characters(json.dumps(modern, ensure_ascii=False))
    original = SchemaDocument(modern)
    _raise_first(original, source_complaints)
    document = SchemaDocument(merged_document(SchemaDocument(without_conditions(original))))
    _raise_first(document, complaints)
    check_finiteness(document)
    return document


def _raise_first(document: SchemaDocument, find: Callable[[Schema, SchemaDocument], Iterable[str]]) -> None:
    for place, schema in document.schemas.items():
        for complaint in find(schema, document):
            raise InvalidGrammar(f"JSON Schema at {place}: {complaint}")


def parse_json(source: str) -> object:
    """Return the parsed text.

    Raises InvalidGrammar for text that is no JSON, is nested too deep to read, or has an integer that no
    float holds.
    """
    try:
        return json.loads(source, parse_int=_integer)
    except RecursionError:
        raise InvalidGrammar(TOO_DEEP) from None
    except ValueError as error:
        raise InvalidGrammar(f"the grammar is no JSON: {error}") from error


def _integer(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise InvalidGrammar(f"an integer may have {_MAX_DIGITS} digits; one here has {len(text)}")
    return int(text)
