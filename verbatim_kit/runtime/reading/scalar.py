"""A value that a request sends as text outside of JSON: in its path, its query, a header or a form."""

from typing import Any

from pydantic_core import from_json


def read_scalar(text: str) -> Any:
    """Return the JSON value of a text whose type is no string; the text itself where it is no JSON."""
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError:
        return text
