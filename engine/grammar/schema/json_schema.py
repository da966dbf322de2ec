"""The JSON Schemas that xgrammar enforces; others are refused rather than loosened.

This is Draft 2020-12 as xgrammar 0.2.8 reads it with `any_whitespace=False`. Each line below was tried
against the grammar that it makes.

enforced
    type (one or a list), enum, const, properties, required, additionalProperties, unevaluatedProperties,
    propertyNames, patternProperties, minProperties, maxProperties, items, prefixItems, unevaluatedItems,
    minItems, maxItems, minLength, maxLength, pattern, minimum, maximum, exclusiveMinimum, exclusiveMaximum,
    multipleOf (whole numbers, of integers without bounds), anyOf, oneOf, allOf of one schema, $ref to a place
    in the document, and the formats in `strings.ENFORCED_FORMATS`
rewritten, because xgrammar's own way would let through what is not even JSON
    minLength, maxLength and the formats in `strings` become a pattern that knows JSON's escapes
rewritten, because xgrammar does not read JSON pointers with escapes
    such a $ref leads to a copy in $defs
narrower than the specification, so that the generated value is still valid
    properties come in the order of the schema; an object with `properties` and an array with `prefixItems`
    have no others unless the schema says so; `pattern` and `patternProperties` must match the whole string
ignored, as annotations
    title, description, default, examples, format (any other), and keywords that are not JSON Schema's
refused, because a value would have no end
    a schema that its own values must contain, such as a linked list whose `next` is required and never null
refused, because xgrammar ignores them
    the keywords in `rules._REFUSED`; restrictions of some type without that type; anything that
    restricts beside $ref, enum, const, anyOf, oneOf and allOf, except a type that agrees with enum and const;
    `oneOf` whose schemas may overlap; pattern or format beside another restriction of the string; multipleOf
    of a number; required names that are no properties; patternProperties beside other properties or each
    other; propertyNames beside properties; patterns that `regex_pattern` refuses
not checked
    alternatives of a pattern of which one is a counted repetition of another: `(a|a{1,2})`;
    a key that is none of the properties and comes twice
"""

import json

from engine.errors import InvalidGrammar
from engine.grammar.schema.document import TOO_DEEP, SchemaDocument
from engine.grammar.schema.finiteness import check_finiteness
from engine.grammar.schema.rules import complaints, document_complaints
from engine.grammar.schema.strings import rewrite_strings


def enforceable_schema(source: str) -> str:
    """Return an equal JSON Schema that xgrammar honours, as JSON text.

    Raises InvalidGrammar for JSON text that is no schema, is out of bounds, or would be loosened.
    """
    root = parse_json(source)
    make_enforceable(root)
    return json.dumps(root)


def make_enforceable(root: object) -> None:
    """Change a parsed schema in place, as `enforceable_schema` does with its text."""
    document = SchemaDocument(root)
    for place, schema in document.schemas.items():
        for complaint in complaints(schema, document):
            raise InvalidGrammar(f"JSON Schema at {place}: {complaint}")
    for complaint in document_complaints(document):
        raise InvalidGrammar(f"JSON Schema: {complaint}")
    check_finiteness(document)
    for schema in document.schemas.values():
        rewrite_strings(schema)
    document.rename_targets()


def parse_json(source: str) -> object:
    """Return the parsed text. Raises InvalidGrammar for text that is no JSON, or nested too deep to read."""
    try:
        return json.loads(source)
    except RecursionError:
        raise InvalidGrammar(TOO_DEEP) from None
    except ValueError as error:
        raise InvalidGrammar(f"the grammar is no JSON: {error}") from error
