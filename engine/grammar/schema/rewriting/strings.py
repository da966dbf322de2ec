"""The rewriting of a JSON Schema's restrictions of strings into ones that xgrammar honours."""

from engine.grammar.regex_pattern import json_string_pattern
from engine.grammar.schema.walk import Schema

# Those whose grammar makes valid JSON strings. The grammars of the JSON pointer formats let a raw quote
# through, so these stay annotations.
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

# RFC 3339 without leap seconds, the 29th of February and years before 1000, which only some readers take.
_DAY_OF_MONTH = (
    r"(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    r"|02-(?:0[1-9]|1[0-9]|2[0-8]))"
)
_DATE = rf"[1-9][0-9]{{3}}-{_DAY_OF_MONTH}"
_HOUR = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]"
_TIME = rf"{_HOUR}:[0-5][0-9](?:\.[0-9]{{1,9}})?(?:Z|[+-]{_HOUR})"

# RFC 5321 without quoted names and rare signs, and short of its limits of length.
_WORD = r"[A-Za-z0-9_+-]{1,20}"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,20}[A-Za-z0-9])?"
_EMAIL = rf"{_WORD}(?:\.{_WORD}){{0,2}}@(?:{_LABEL}\.){{1,3}}[A-Za-z]{{2,10}}"

# Absolute ones with an authority, and without user information, escapes and rare signs.
_URI = rf"[a-z][a-z0-9+.-]{{0,15}}://{_LABEL}(?:\.{_LABEL}){{0,4}}(?::[1-9][0-9]{{0,3}})?(?:/[A-Za-z0-9._~-]{{0,40}}){{0,8}}"
_URI = rf"{_URI}(?:\?[A-Za-z0-9._~=&/-]{{0,80}})?(?:#[A-Za-z0-9._~/-]{{0,40}})?"
_HEX = "[0-9a-fA-F]"

# xgrammar's own let through leading zeros of ipv4, the 31st of any month, a leap second at any minute, and
# names of any length in email.
FORMAT_PATTERNS = {
    "ipv4": rf"^{_OCTET}(?:\.{_OCTET}){{3}}$",
    "date": rf"^{_DATE}$",
    "time": rf"^{_TIME}$",
    "date-time": rf"^{_DATE}T{_TIME}$",
    "email": rf"^{_EMAIL}$",
    "uri": rf"^{_URI}$",
    "uuid": rf"^{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}$",
    "hostname": rf"^{_LABEL}(?:\.{_LABEL}){{0,3}}$",
}


def rewrite_strings(schema: Schema) -> None:
    """Replace lengths and some formats by patterns, drop formats that are not enforced, and rewrite patterns
    that xgrammar would misread; in place.

    The schema has been checked before to have only one of these: lengths, a format, or a pattern.
    """
    if isinstance(names := schema.get("propertyNames"), dict):
        rewrite_strings(names)
    if "pattern" in schema:
        schema["pattern"] = json_string_pattern(schema["pattern"])
    lengths = schema.pop("minLength", 0), schema.pop("maxLength", None)
    if lengths != (0, None):
        low, high = lengths
        schema["pattern"] = f"^{_CHARACTER}{{{low},{'' if high is None else high}}}$"
    if "format" in schema and schema["format"] not in ENFORCED_FORMATS:
        del schema["format"]
    elif (pattern := FORMAT_PATTERNS.get(schema.get("format", ""))) is not None:
        del schema["format"]
        schema["pattern"] = json_string_pattern(pattern)
    if "patternProperties" in schema:
        properties = schema["patternProperties"]
        schema["patternProperties"] = {json_string_pattern(name): value for name, value in properties.items()}


def is_length(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
