"""The effective document: OpenAPI 3.0, 3.1 or 3.2 as OpenAPI 3.1 (JSON Schema 2020-12)."""

from collections.abc import Callable

from verbatim_kit.generate.documents.document import Document, Pointer, Schema, SpecError
from verbatim_kit.generate.documents.schemas import map_schemas
from verbatim_kit.openapi.item_schema import as_3_1
from verbatim_kit.openapi.streams import StreamError

TARGET_VERSION = "3.1.1"

# OpenAPI Format Registry: what an integer format admits. JSON Schema takes `format` as a remark only.
_INTEGER_RANGES = {
    **{f"int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": (0, 2**bits - 1) for bits in (8, 16, 32, 64)},
}
_ANNOTATIONS = {"$ref", "description", "summary", "deprecated"}


def upgrade(document: Document) -> Document:
    """A 3.0, 3.1 or 3.2 document as 3.1, integer ranges written out.

    SpecError names a keyword that 3.0 does not know, or that 3.1 cannot say.
    """
    version = str(document.get("openapi", ""))
    if version.startswith("3.0."):
        document = map_schemas(document, _upgrade_schema)
    elif version.startswith("3.2."):
        try:
            document = as_3_1(document)
        except StreamError as error:
            raise SpecError(error.pointer, str(error)) from None
    elif not version.startswith("3.1."):
        raise SpecError(
            ("openapi",), f"OpenAPI {version or 'without a version'} is not supported, 3.0 to 3.2 are"
        )
    return {**map_schemas(document, _write_out_range), "openapi": TARGET_VERSION}


def _upgrade_schema(schema: Schema, at: Pointer) -> Schema:
    if "$ref" in schema and not set(schema) <= _ANNOTATIONS:
        raise SpecError(at, "OpenAPI 3.0 ignores what stands beside $ref; wrap it in allOf")
    steps: tuple[Callable[[Schema, Pointer], Schema], ...] = (_exclusive_bounds, _examples, _nullable)
    for step in steps:
        schema = step(schema, at)
    return schema


def _exclusive_bounds(schema: Schema, at: Pointer) -> Schema:
    """`minimum: 0, exclusiveMinimum: true` becomes `exclusiveMinimum: 0`."""
    result = dict(schema)
    for exclusive, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        flag = result.get(exclusive)
        if flag is True and bound in result:
            result[exclusive] = result.pop(bound)
        elif flag is False:
            del result[exclusive]
        elif flag is not None:
            raise SpecError(
                (*at, exclusive), f"OpenAPI 3.0 wants true or false here, and {bound} for the number"
            )
    return result


def _examples(schema: Schema, at: Pointer) -> Schema:
    """`example` is deprecated on a 3.1 schema; JSON Schema has `examples`."""
    if "example" not in schema:
        return schema
    return {
        ("examples" if key == "example" else key): ([v] if key == "example" else v)
        for key, v in schema.items()
    }


def _nullable(schema: Schema, at: Pointer) -> Schema:
    """`nullable: true` as a type or an alternative.

    3.0.3 says that `nullable` without `type` has no effect, yet generators write it beside allOf, oneOf and
    anyOf and mean that null is allowed; so it is read that way. Without any of the four it loosens nothing.
    """
    result = {key: value for key, value in schema.items() if key != "nullable"}
    if schema.get("nullable") is not True:
        return result
    if "type" in result:
        if "enum" in result and None not in result["enum"]:
            result["enum"] = [*result["enum"], None]
        return {**result, "type": [result["type"], "null"]}
    keywords = [key for key in ("allOf", "oneOf", "anyOf") if key in result]
    if len(keywords) != 1:
        raise SpecError(at, "nullable needs a type, or exactly one of allOf, oneOf and anyOf, beside it")
    branches = result.pop(keywords[0])
    if keywords[0] == "allOf":
        branches = branches if len(branches) == 1 else [{"allOf": branches}]
    keyword = "oneOf" if keywords[0] == "oneOf" else "anyOf"
    return {**result, keyword: [*branches, {"type": "null"}]}


def _write_out_range(schema: Schema, at: Pointer) -> Schema:
    """An integer format's range as minimum and maximum, where the document does not bound it more tightly."""
    types = schema.get("type")
    if (
        "integer" not in (types if isinstance(types, list) else [types])
        or schema.get("format") not in _INTEGER_RANGES
    ):
        return schema
    low, high = _INTEGER_RANGES[schema["format"]]
    result = dict(schema)
    if "exclusiveMinimum" not in result:
        result["minimum"] = max(low, result.get("minimum", low))
    if "exclusiveMaximum" not in result:
        result["maximum"] = min(high, result.get("maximum", high))
    return result
