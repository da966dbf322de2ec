"""How much there is to prepare of a request."""

from collections.abc import Iterator

from pydantic import BaseModel


def is_short(body: BaseModel, max_characters: int) -> bool:
    """Whether a body has no more text than that, and no free JSON, such as a schema, of unknown cost."""
    num_characters = 0
    for size in _sizes(body):
        if size is None or (num_characters := num_characters + size) > max_characters:
            return False
    return True


def _sizes(value: object) -> Iterator[int | None]:
    """Of each part; no part costs nothing. None: free JSON."""
    if isinstance(value, str):
        yield len(value)
    elif isinstance(value, list):
        for item in value:
            yield from _sizes(item)
    elif isinstance(value, dict):
        yield None
    elif isinstance(value, BaseModel):
        for name in value.model_fields_set:
            yield from _sizes(getattr(value, name))
    else:
        yield 1
