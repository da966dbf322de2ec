"""What a validation error says, in the terms of the document rather than of the models."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from handlers.violation import Violation

Path: TypeAlias = tuple[str | int, ...]

_MAX_ERRORS = 1000  # unknown fields can be more; pydantic takes milliseconds to write out so many

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


class Fault(NamedTuple):
    """What to tell of an invalid value.

    field: where it is (`messages[0].content`), empty for the whole value. reason: what is wrong there, a
    predicate ("must be a string"). given: what stands there; None where nothing does.
    """

    field: str
    reason: str
    violation: Violation
    given: Any


def explain(error: ValidationError, value: Any) -> Fault:
    """The first fault of a value.

    value: what was validated, as parsed JSON. pydantic reports every alternative of a union by itself, each
    under a label in the location. Here the alternative that the value comes closest to speaks for the union;
    if there are several, they speak together.
    """
    if error.error_count() > _MAX_ERRORS:
        return Fault("", f"is wrong in {error.error_count()} places", Violation.INVALID_VALUE, None)
    told = _closest([_LocatedError(details, value) for details in error.errors(include_url=False)], 0)
    violations = [located.violation for located in told]
    # A text that is none of the constants has the right type, whatever other types there are.
    is_constant = Violation.UNSUPPORTED_VALUE in violations
    violation = Violation.UNSUPPORTED_VALUE if is_constant else violations[0]
    return Fault(render_path(told[0].path), _reason(told), violation, told[0].given)


def render_path(path: Path) -> str:
    """('messages', 0, 'content') as 'messages[0].content'."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


class _Alternative(NamedTuple):
    """A branch of a union: where the union stands in the value, and pydantic's label for the branch."""

    union: Path
    label: str | int


class _LocatedError:
    """An error with its path in the value, what stands there, and the alternatives, outermost first, in which
    it was found.
    """

    def __init__(self, details: ErrorDetails, value: Any) -> None:
        self.details = details
        self.path: Path = ()
        self.alternatives: list[_Alternative] = []
        for index, part in enumerate(details["loc"]):
            is_missing = details["type"] == "missing" and index == len(details["loc"]) - 1
            if is_missing or _has(value, part):
                value = None if is_missing else value[part]
                self.path = (*self.path, part)
            elif part == "[key]":
                value = details["loc"][index - 1]
            else:
                self.alternatives.append(_Alternative(self.path, part))
        if details["type"].startswith("union_tag_"):  # it is told of the union, and is the tag's
            tag = details["ctx"]["discriminator"].strip("'")
            self.path = (*self.path, tag)
            value = value.get(tag)
        self.given = value

    @property
    def violation(self) -> Violation:
        found = _VIOLATIONS.get(self.details["type"], Violation.INVALID_VALUE)
        if found is Violation.UNSUPPORTED_VALUE and isinstance(self.given, str) != ("'" in self._constants):
            return Violation.WRONG_TYPE
        return found

    @property
    def sentence(self) -> str:
        if self.violation is Violation.MISSING:
            return "is missing"
        if self.violation is Violation.UNKNOWN:
            return "is not a field of this object"
        kind = self.details["type"]
        if kind in _EXPECTED:
            return f"must be {_EXPECTED[kind]}"
        if kind in _LENGTHS:
            bound, name, unit = _LENGTHS[kind]
            number = self.details["ctx"][name]
            return f"must have {bound} {number} {unit}{'s' * (number != 1)}"
        if kind == "string_pattern_mismatch":
            return f"must match the pattern {self.details['ctx']['pattern']}"
        if kind == "union_tag_invalid":
            return f"must be {' or '.join(self._constants.split(', '))}"
        message = self.details["msg"].replace("Input should be", "must be")
        return message[:1].lower() + message[1:]

    @property
    def places(self) -> list[int]:
        """Its path's array positions."""
        return [part for part in self.path if isinstance(part, int)]

    @property
    def num_constants(self) -> int:
        return self._constants.count(",") + 1

    @property
    def _constants(self) -> str:
        """Of an error that tells of constants, such as "'auto', 'low' or 'high'"; empty for any other."""
        context = self.details.get("ctx", {})
        return str(context.get("expected", context.get("expected_tags", "")))


def _has(value: Any, part: str | int) -> bool:
    if isinstance(value, dict):
        return part in value
    return isinstance(value, list) and isinstance(part, int) and part < len(value)


def _closest(errors: Sequence[_LocatedError], level: int) -> Sequence[_LocatedError]:
    """The errors to tell, all of one path; `level` unions around them have been decided."""
    if len(errors[0].alternatives) == level:
        return errors[:1]
    union = errors[0].alternatives[level].union
    branches: dict[_Alternative, list[_LocatedError]] = defaultdict(list)
    for error in errors:
        if len(error.alternatives) > level and error.alternatives[level].union == union:
            branches[error.alternatives[level]].append(error)
    inside = [found for found in branches.values() if any(len(error.path) > len(union) for error in found)]
    if not inside:
        return _of_the_whole([error for found in branches.values() for error in found])
    if len(inside) == 1:
        return _closest(inside[0], level + 1)
    return _closest_inside(inside, level, union)


def _of_the_whole(errors: list[_LocatedError]) -> list[_LocatedError]:
    """Of errors that are all of the union's value itself, those of the alternatives that admit its type."""
    refused = (Violation.WRONG_TYPE, Violation.UNSUPPORTED_VALUE)
    return [error for error in errors if error.violation not in refused] or errors


def _closest_inside(branches: list[list[_LocatedError]], level: int, union: Path) -> Sequence[_LocatedError]:
    """As `_closest`, of two or more alternatives that admit the value and differ about what is in it."""
    tag = _tag(branches, level, union)
    mismatches = [error for found in branches for error in found if tag and error.path == (*union, tag)]
    likely = [found for found in branches if not any(error in mismatches for error in found)]
    if not likely:
        return mismatches
    depth = max(len(error.path) for found in likely for error in found)
    deepest = [found for found in likely if any(len(error.path) == depth for error in found)]
    # One that fails at a later item of an array has admitted the earlier ones.
    best = min((len(found), [-place for place in found[0].places]) for found in deepest)
    closest = [found for found in deepest if (len(found), [-place for place in found[0].places]) == best]
    if len(closest) == 1:
        return _closest(closest[0], level + 1)
    path = next(error.path for error in closest[0] if len(error.path) == depth)
    return _of_the_whole([error for found in closest for error in found if error.path == path])


def _tag(branches: list[list[_LocatedError]], level: int, union: Path) -> str | int | None:
    """The key whose constant tells the alternatives apart, if it is wrong or missing in some of them.

    That is the key which most of them miss or want another constant of; if there are several, one that has
    constants, and fewer of them.
    """
    complaints: dict[str | int, list[_LocatedError]] = defaultdict(list)
    for error in (error for found in branches for error in found):
        is_right_inside = len(error.path) == len(union) + 1 and len(error.alternatives) == level + 1
        if is_right_inside and error.details["type"] in ("literal_error", "missing"):
            complaints[error.path[-1]].append(error)

    def rank(key: str | int) -> tuple[int, int, int]:
        constants = [error for error in complaints[key] if error.details["type"] == "literal_error"]
        return len(complaints[key]), len(constants), -sum(error.num_constants for error in constants)

    best = max(complaints, key=rank, default=None)
    return best if best is not None and rank(best) > (1, 0, 0) else None


def _reason(told: Sequence[_LocatedError]) -> str:
    reasons = list(dict.fromkeys(located.sentence for located in told))
    if len(reasons) > 1 and all(reason.startswith("must be ") for reason in reasons):
        parts = [part for reason in reasons for part in reason.removeprefix("must be ").split(" or ")]
        return "must be " + " or ".join(dict.fromkeys(parts))
    return "; or ".join(reasons)
