"""JSON in an input, which the model reads as text."""

import json
from typing import Any, Final

from generated.openai import models as m
from verbatim_kit.errors import Refused, Violation

_MAX_LEVELS: Final = 32
_MAX_VALUES: Final = 10_000
_MAX_BYTES: Final = 262_144


def json_text(part: m.DecisionInputJson, field: str) -> str:
    """Return the data as compact JSON. field: the part's place in the request.

    Raises Refused for data beyond a bound of the document.
    """
    data: Any = part.model_dump(mode="python")["data"]
    at = f"{field}.data"
    num_values = num_levels = 0
    level: list[Any] = [data]
    while level:
        num_values += len(level)
        inner = [value for value in level if isinstance(value, dict | list)]
        num_levels += bool(inner)
        level = [each for value in inner for each in (value.values() if isinstance(value, dict) else value)]
    if num_levels > _MAX_LEVELS:
        raise Refused(f"The JSON must have at most {_MAX_LEVELS} levels.", at, Violation.TOO_LONG)
    if num_values > _MAX_VALUES:
        raise Refused(f"The JSON must have at most {_MAX_VALUES:,} values.", at, Violation.TOO_LONG)
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    if len(text.encode(errors="surrogatepass")) > _MAX_BYTES:
        raise Refused(f"The JSON must have at most {_MAX_BYTES:,} bytes.", at, Violation.TOO_LONG)
    return text
