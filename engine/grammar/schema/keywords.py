"""The keywords of JSON Schema, by what they restrict."""

TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")

REFUSED = frozenset(
    ("not", "if", "then", "else", "dependentRequired", "dependentSchemas", "dependencies", "contains")
    + ("minContains", "maxContains", "$dynamicRef", "$recursiveRef", "additionalItems")
)

BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")

# Keywords of our own.
PATTERNS = "x-verbatim-patterns"  # more patterns for the same string
IMPLIED_TYPE = "x-verbatim-implied-type"  # whether `type` is not the request's
FRACTION = "x-verbatim-fraction"  # whether numbers may not be whole ones

# The type that each keyword restricts.
RESTRICTS = {
    **dict.fromkeys(("minLength", "maxLength", "pattern", "format"), "string"),
    **dict.fromkeys((*BOUNDS, "multipleOf", FRACTION), "number"),
    **dict.fromkeys(("minItems", "maxItems", "unevaluatedItems", "items", "prefixItems"), "array"),
    "uniqueItems": "array",
    **dict.fromkeys(
        ("required", "minProperties", "maxProperties", "patternProperties", "propertyNames"), "object"
    ),
    **dict.fromkeys(("unevaluatedProperties", "properties", "additionalProperties"), "object"),
}

# What stands beside one of these is merged into it.
WHOLE = ("$ref", "anyOf", "oneOf", "allOf", "enum", "const")

# The keywords that change what is allowed. Programs leave many others in their schemas: annotations, the
# likes of `x-order` and `example`, and OpenAPI's `discriminator` and `nullable`. To those that read
# `nullable`, a value that is not null is valid, too.
EFFECTIVE = frozenset(("type", "$defs", "definitions", *REFUSED, *RESTRICTS, *WHOLE)) - {FRACTION}

# Keywords about members that nothing else says anything of, and those about any other members.
UNEVALUATED = {"unevaluatedItems": "items", "unevaluatedProperties": "additionalProperties"}


def num_matching_types(restricted: str, declared: str | list[str]) -> int:
    """Return how many of the declared types a keyword that restricts one type matters to."""
    names = {"number", "integer"} if restricted == "number" else {restricted}
    return len(names & {*([declared] if isinstance(declared, str) else declared)})


def types_of_value(value: object) -> set[str]:
    """Return the names of all types that a JSON value is of."""
    match value:
        case None:
            return {"null"}
        case bool():
            return {"boolean"}
        case int():
            return {"integer", "number"}
        case float():
            return {"integer", "number"} if value.is_integer() else {"number"}
        case str():
            return {"string"}
        case list():
            return {"array"}
        case _:
            return {"object"}
