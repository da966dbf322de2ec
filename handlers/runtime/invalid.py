"""What a validation error says, in the terms of the document rather than of the models."""

from typing import Any, TypeAlias

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
    under a label in the location; here they are put together: of the alternatives whose constants match, the
    errors at the deepest place, as one sentence.
    """
    errors = [_LocatedError(details, value) for details in error.errors(include_url=False)]
    told = [errors[0]] if errors[0].union is None else _told_of_union(errors, errors[0].union)
    return render_path(told[0].path), _reason([located.details for located in told])


def render_path(path: Path) -> str:
    """('messages', 0, 'content') as 'messages[0].content'."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


class _LocatedError:
    """An error with its path in the value, and the union that it was found inside of, if any.

    union: where the outermost union stands. alternative: the label of the one that was tried.
    """

    def __init__(self, details: ErrorDetails, value: Any) -> None:
        self.details = details
        self.path: Path = ()
        self.union: Path | None = None
        self.alternative: str | int | None = None
        for index, part in enumerate(details["loc"]):
            is_missing = details["type"] == "missing" and index == len(details["loc"]) - 1
            if is_missing or _has(value, part):
                value = None if is_missing else value[part]
                self.path = (*self.path, part)
            elif part != "[key]" and self.union is None:
                self.union, self.alternative = self.path, part


def _has(value: Any, part: str | int) -> bool:
    if isinstance(value, dict):
        return part in value
    return isinstance(value, list) and isinstance(part, int) and part < len(value)


def _told_of_union(errors: list[_LocatedError], union: Path) -> list[_LocatedError]:
    tried = [located for located in errors if located.union == union]
    mismatched = {located.alternative for located in tried if located.details["type"] == "literal_error"}
    likely = [located for located in tried if located.alternative not in mismatched] or tried
    deepest = max(likely, key=lambda located: len(located.path)).path
    return [located for located in likely if located.path == deepest]


def _reason(details: list[ErrorDetails]) -> str:
    reasons = list(dict.fromkeys(_sentence(detail) for detail in details))
    if len(reasons) > 1 and all(reason.startswith("must be ") for reason in reasons):
        return "must be " + " or ".join(reason.removeprefix("must be ") for reason in reasons)
    return "; or ".join(reasons)


def _sentence(details: ErrorDetails) -> str:
    if details["type"] == "missing":
        return "is missing"
    if details["type"] in _EXPECTED:
        return f"must be {_EXPECTED[details['type']]}"
    message = details["msg"].replace("Input should be", "must be")
    return message[:1].lower() + message[1:]
