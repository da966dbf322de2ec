"""A contract's error classes."""

import re
from dataclasses import dataclass
from http import HTTPStatus

from verbatim_kit.generate.sdk.call import Call
from verbatim_kit.generate.sdk.runtime import errors

_BASES = {
    int(kind.__doc__): name
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and kind.__doc__ and kind.__doc__.isdigit()
}


@dataclass(frozen=True)
class ErrorClass:
    """The class of one status that the document declares. base: the runtime's. body: a type, or None."""

    status: int
    name: str
    base: str
    body: str | None
    description: str


def error_classes(calls: list[Call]) -> list[ErrorClass]:
    """By status. Where operations declare different bodies for one, its body is any of them."""
    declared = [error for call in calls for error in call.operation.errors]
    classes = []
    for status in sorted({error.status for error in declared}):
        answers = [error for error in declared if error.status == status]
        models = sorted({answer.model for answer in answers if answer.model is not None})
        base = _BASES.get(status, "APIStatusError")
        classes.append(
            ErrorClass(
                status=status,
                name=base if status in _BASES else _name(status),
                base=base,
                body=" | ".join(models) or None,
                description=answers[0].description,
            )
        )
    return classes


def _name(status: int) -> str:
    """A status that the runtime has no class for, by its phrase in RFC 9110 if it has one."""
    known = status in {known.value for known in HTTPStatus}
    phrase = HTTPStatus(status).phrase if known else f"Status {status}"
    return "".join(re.findall(r"\w+", phrase.title())) + "Error"
