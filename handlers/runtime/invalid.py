"""What a validation error says, in the terms of the document rather than of the models."""

from collections import defaultdict
from typing import Any, NamedTuple, TypeAlias

from pydantic import ValidationError
from pydantic_core import ErrorDetails

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
}


def explain(error: ValidationError, value: Any) -> tuple[str, str]:
    """The field at fault (`messages[0].content`, empty for the whole value) and what is wrong with it.

    value: what was validated, as parsed JSON. pydantic reports every alternative of a union by itself, each
    under a label in the location. Here the alternative that the value comes closest to speaks for the union;
    if there are several, they speak together.
    """
    told = _closest([_LocatedError(details, value) for details in error.errors(include_url=False)], 0)
    return render_path(told[0].path), _reason([located.details for located in told])


def render_path(path: Path) -> str:
    """('messages', 0, 'content') as 'messages[0].content'."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


class _Alternative(NamedTuple):
    """A branch of a union: where the union stands in the value, and pydantic's label for the branch."""

    union: Path
    label: str | int


class _LocatedError:
    """An error with its path in the value, and the alternatives, outermost first, in which it was found."""

    def __init__(self, details: ErrorDetails, value: Any) -> None:
        self.details = details
        self.path: Path = ()
        self.alternatives: list[_Alternative] = []
        for index, part in enumerate(details["loc"]):
            is_missing = details["type"] == "missing" and index == len(details["loc"]) - 1
            if is_missing or _has(value, part):
                value = None if is_missing else value[part]
                self.path = (*self.path, part)
            elif part != "[key]":
                self.alternatives.append(_Alternative(self.path, part))

    def is_tag_of(self, alternative: _Alternative) -> bool:
        """Whether it says that a constant right inside the alternative, a tag, has another value."""
        depth = len(alternative.union) + 1
        is_constant = self.details["type"] == "literal_error"
        return is_constant and len(self.path) == depth and self.alternatives[-1] == alternative


def _has(value: Any, part: str | int) -> bool:
    if isinstance(value, dict):
        return part in value
    return isinstance(value, list) and isinstance(part, int) and part < len(value)


def _closest(errors: list[_LocatedError], level: int) -> list[_LocatedError]:
    """The errors to tell, all of one path; `level` unions around them have been decided."""
    if len(errors[0].alternatives) == level:
        return errors[:1]
    union = errors[0].alternatives[level].union
    branches: dict[_Alternative, list[_LocatedError]] = defaultdict(list)
    for error in errors:
        if len(error.alternatives) > level and error.alternatives[level].union == union:
            branches[error.alternatives[level]].append(error)
    tagged = {key for key, inside in branches.items() if any(error.is_tag_of(key) for error in inside)}
    likely = [inside for key, inside in branches.items() if key not in tagged] or list(branches.values())
    depth = max(len(error.path) for inside in likely for error in inside)
    deepest = [inside for inside in likely if any(len(error.path) == depth for error in inside)]
    if len(deepest) == 1:
        return _closest(deepest[0], level + 1)
    path = next(error.path for error in deepest[0] if len(error.path) == depth)
    return [error for inside in deepest for error in inside if error.path == path]


def _reason(details: list[ErrorDetails]) -> str:
    reasons = list(dict.fromkeys(_sentence(detail) for detail in details))
    if len(reasons) > 1 and all(reason.startswith("must be ") for reason in reasons):
        told = [part for reason in reasons for part in reason.removeprefix("must be ").split(" or ")]
        return "must be " + " or ".join(dict.fromkeys(told))
    return "; or ".join(reasons)


def _sentence(details: ErrorDetails) -> str:
    if details["type"] == "missing":
        return "is missing"
    if details["type"] in _EXPECTED:
        return f"must be {_EXPECTED[details['type']]}"
    message = details["msg"].replace("Input should be", "must be")
    return message[:1].lower() + message[1:]
