"""The reader of interoperable JSON (RFC 8259): UTF-8, no NaN, no key twice in one object."""

import json
from math import isinf
from typing import Any


class NotJson(ValueError):
    """The text is no JSON, or not interoperable JSON."""


def read_json(text: bytes) -> Any:
    """Return the parsed value. Raises NotJson."""
    try:
        value = _DECODER.decode(text.decode())
        if b"\\u" in text:
            json.dumps(
                value, ensure_ascii=False
            ).encode()  # an escaped half of a surrogate pair is no character
        return value
    except (ValueError, RecursionError) as error:
        raise NotJson(str(error)) from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"The key {twice!r} stands twice in one object")
    return members


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON number")


def _finite(text: str) -> float:
    if isinf(number := float(text)):
        raise ValueError(f"{text} is more than a double holds")
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_finite)
