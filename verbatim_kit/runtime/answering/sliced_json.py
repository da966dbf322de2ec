"""JSON text of large models, written in slices.

pydantic writes a model in one call, which holds the interpreter's lock: a thread that writes an answer with
the log-probabilities of a hundred thousand tokens would stop all others for a second.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

import orjson
from pydantic import BaseModel

# So many models take pydantic some milliseconds.
_MAX_MODELS: Final = 1_000
_SEPARATOR: Final = b","


def is_large(value: object) -> bool:
    """Return whether a value has more models in it than are written at once; takes only a few steps."""
    return next(islice(_models(value), _MAX_MODELS, None), None) is not None


def to_json_in_slices(value: BaseModel | list[Any]) -> bytes:
    """Return the text that pydantic writes, field names by alias. Call it outside the event loop's thread.

    Raises PydanticSerializationError for a value of another type than its field has.
    """
    return b"".join(_pieces(value))


def _models(value: object) -> Iterator[BaseModel]:
    if isinstance(value, list):
        for item in value:
            yield from _models(item)
    elif isinstance(value, BaseModel):
        yield value
        for name in value.model_fields_set:
            inner = getattr(value, name)
            if isinstance(inner, BaseModel | list):
                yield from _models(inner)


def _pieces(value: Any) -> Iterator[bytes]:
    if isinstance(value, list) and all(isinstance(item, BaseModel) for item in value):
        yield b"["
        for place, item in enumerate(value):
            if place:
                yield _SEPARATOR
            yield from _pieces(item)
        yield b"]"
    elif isinstance(value, BaseModel) and not value.model_extra and is_large(value):
        yield from _fields(value)
    elif isinstance(value, BaseModel):
        yield _whole(value)
    else:
        yield orjson.dumps(value)


def _fields(model: BaseModel) -> Iterator[bytes]:
    """Yield a model's fields one by one, and those that hold models in slices."""
    opening = b"{"
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        if _holds_models(value):
            key = field.serialization_alias or field.alias or name
            yield b"%b%b:" % (opening, orjson.dumps(key))
            yield from _pieces(value)
        elif len(text := _whole(model, {name})) > len(b"{}"):  # a field that is missing writes nothing
            yield opening + text[1:-1]
        else:
            continue
        opening = _SEPARATOR
    yield b"{}" if opening == b"{" else b"}"


def _holds_models(value: object) -> bool:
    return isinstance(value, BaseModel) or (
        isinstance(value, list) and len(value) > 0 and all(isinstance(item, BaseModel) for item in value)
    )


def _whole(model: BaseModel, include: set[str] | None = None) -> bytes:
    serializer = type(model).__pydantic_serializer__
    return serializer.to_json(model, include=include, by_alias=True, warnings="error")
