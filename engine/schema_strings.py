"""What a JSON Schema says of strings, written as xgrammar honours it."""

from engine.schema_document import Schema

# Those whose grammar makes valid JSON strings; of "email" and "time" it makes a few that strict readers
# refuse (a name of more than 64 characters, a leap second at any minute), of "date" and "date-time" the 31st
# of any month. The grammars of the JSON pointer formats let a raw quote through, so these stay annotations.
ENFORCED_FORMATS = frozenset(
    ("date", "date-time", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uri-reference")
    + ("uri-template", "uuid")
)

# xgrammar's own grammar for minLength and maxLength lets raw control characters through, and no escapes. An
# escaped surrogate is left out: two of them are one character, one alone is none.
_CHARACTER = (
    "(?:[ !#-\\[\\]-\ud7ff\ue000-\U0010ffff]"
    r"|\\(?:[\"\\/bfnrt]|u[0-9a-cA-CefEF][0-9a-fA-F]{3}|u[dD][0-7][0-9a-fA-F]{2}))"
)
_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_FORMAT_PATTERNS = {"ipv4": rf"^{_OCTET}(?:\.{_OCTET}){{3}}$"}  # xgrammar's own lets leading zeros through


def rewrite_strings(schema: Schema) -> None:
    """Puts patterns in place of lengths and of some formats, and drops formats that are not enforced; in
    place.

    What a schema may hold beside each other is settled before: lengths, a format, or a pattern.
    """
    if isinstance(names := schema.get("propertyNames"), dict):
        rewrite_strings(names)
    lengths = schema.pop("minLength", 0), schema.pop("maxLength", None)
    if lengths != (0, None):
        low, high = lengths
        schema["pattern"] = f"^{_CHARACTER}{{{low},{'' if high is None else high}}}$"
    if "format" in schema and schema["format"] not in ENFORCED_FORMATS:
        del schema["format"]
    elif (pattern := _FORMAT_PATTERNS.get(schema.get("format", ""))) is not None:
        del schema["format"]
        schema["pattern"] = pattern


def is_length(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
