"""JSON pointers (RFC 6901) into parsed JSON, and references of a document to places of its own."""

import re
from typing import Any, Final
from urllib.parse import unquote

ABSENT: Final = object()
"""The value where a pointer leads nowhere."""

_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,17}")  # no array is longer


def steps_of(pointer: str) -> tuple[str, ...]:
    """Return '/a/b' as ('a', 'b'), '' as (). Raises ValueError for a text that is no pointer."""
    if pointer and not pointer.startswith("/"):
        raise ValueError(f"{pointer!r} is no JSON Pointer")
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])


def steps_of_reference(reference: str) -> tuple[str, ...]:
    """Return '#/a/b' as ('a', 'b'), percent-encoding undone (section 6).

    Raises ValueError for a reference to another document or to a name.
    """
    if reference != "#" and not reference.startswith("#/"):
        raise ValueError(f"{reference} points outside the document")
    return steps_of(unquote(reference[1:]))


def escaped_step(name: str) -> str:
    """Return the name as a step of a pointer (section 3)."""
    return name.replace("~", "~0").replace("/", "~1")


def look_up(value: Any, steps: tuple[str, ...]) -> Any:
    """Return the place in the value to which the steps lead, or ABSENT."""
    for step in steps:
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and _INDEX.fullmatch(step) and int(step) < len(value):
            value = value[int(step)]
        else:
            return ABSENT
    return value


def target_of(document: Any, reference: str) -> Any:
    """Return the place in the document to which a `$ref` leads; ABSENT where it leads nowhere or outside."""
    try:
        return look_up(document, steps_of_reference(reference))
    except ValueError:
        return ABSENT
