"""One validation error of pydantic's, in the terms of the document rather than of the models."""

from typing import Any, NamedTuple, TypeAlias

from pydantic_core import ErrorDetails

from verbatim_kit.errors import Violation
from verbatim_kit.runtime.reading.schema import Schema

Path: TypeAlias = tuple[str | int, ...]

_EXPECTED = {
    "string_type": "a string",
    "integer_type": "an integer",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "list_type": "an array",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "none_required": "null",
    "is_instance_of": "a file",  # the only class that documents have
}

_LENGTHS = {
    "string_too_short": ("at least", "min_length", "character"),
    "string_too_long": ("at most", "max_length", "character"),
    "too_short": ("at least", "min_length", "item"),
    "too_long": ("at most", "max_length", "item"),
}

# Violations by pydantic's names for errors; all that is not here is an INVALID_VALUE.
_VIOLATIONS = {
    **dict.fromkeys(_EXPECTED, Violation.WRONG_TYPE),
    "finite_number": Violation.INVALID_VALUE,
    "none_required": Violation.UNSUPPORTED_FIELD,  # of a field that may be null alone
    "missing": Violation.MISSING,
    "union_tag_not_found": Violation.MISSING,
    "extra_forbidden": Violation.UNKNOWN,
    "greater_than": Violation.TOO_SMALL,
    "greater_than_equal": Violation.TOO_SMALL,
    "less_than": Violation.TOO_LARGE,
    "less_than_equal": Violation.TOO_LARGE,
    "string_too_short": Violation.TOO_SHORT,
    "too_short": Violation.TOO_SHORT,
    "string_too_long": Violation.TOO_LONG,
    "too_long": Violation.TOO_LONG,
    "literal_error": Violation.UNSUPPORTED_VALUE,
    "union_tag_invalid": Violation.UNSUPPORTED_VALUE,
}


class Alternative(NamedTuple):
    """A branch of a union: the union's path in the value, the branch's label, and its schema."""

    union: Path
    label: str | int
    schema: Schema


class Complaint:
    """One error. path: its place in the value. given: the value there; None where there is none.

    alternatives: the branches in which the error was found, outermost first.
    """

    def __init__(self, details: ErrorDetails, value: Any, schema: Schema) -> None:
        self._details = details
        self.path: Path = ()
        self.alternatives: list[Alternative] = []
        self._is_unknown = False
        for index, part in enumerate(details["loc"]):
            inner = schema.inside(part)
            self._is_unknown = schema.is_model and part not in schema.names
            if schema.is_union:
                self.alternatives.append(Alternative(self.path, part, inner))
            elif part == "[key]" and not _has(value, part):  # the error is of the key before it
                value = details["loc"][index - 1]
            else:
                value = value[part] if _has(value, part) else None
                self.path = (*self.path, part)
            schema = inner
        if details["type"].startswith("union_tag_"):  # it is reported for the union, and is the tag's
            tag = details["ctx"]["discriminator"].strip("'")
            self.path = (*self.path, tag)
            value = value.get(tag)
        self.given = value

    @property
    def violation(self) -> Violation:
        if self._is_unknown:
            return Violation.UNKNOWN
        found = _VIOLATIONS.get(self._details["type"], Violation.INVALID_VALUE)
        if found is Violation.UNSUPPORTED_VALUE and isinstance(self.given, str) != ("'" in self._constants):
            return Violation.WRONG_TYPE
        return found

    @property
    def sentence(self) -> str:
        """The fault, as a predicate ("must be a string")."""
        if self.violation is Violation.MISSING:
            return "is missing"
        if self.violation is Violation.UNKNOWN:
            return "is not a field of this object"
        kind = self._details["type"]
        if kind in _EXPECTED:
            return f"must be {_EXPECTED[kind]}"
        if kind in _LENGTHS:
            bound, name, unit = _LENGTHS[kind]
            number = self._details["ctx"][name]
            if number == 0:
                return "must be empty"
            return f"must have {bound} {number} {unit}{'s' * (number != 1)}"
        if kind == "string_pattern_mismatch":
            return f"must match the pattern {self._details['ctx']['pattern']}"
        if kind == "union_tag_invalid":
            return f"must be {' or '.join(self._constants.split(', '))}"
        message = self._details["msg"].replace("Input should be", "must be")
        return message[:1].lower() + message[1:]

    @property
    def positions(self) -> list[int]:
        """The indices of the path in arrays."""
        return [part for part in self.path if isinstance(part, int)]

    @property
    def _constants(self) -> str:
        """The allowed constants of an error about them, such as "'auto', 'low' or 'high'"; else empty."""
        context = self._details.get("ctx", {})
        return str(context.get("expected", context.get("expected_tags", "")))


def _has(value: Any, part: str | int) -> bool:
    if isinstance(value, dict):
        return part in value
    return isinstance(value, list) and isinstance(part, int) and part < len(value)
