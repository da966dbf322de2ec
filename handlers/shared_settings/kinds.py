"""The reading of settings from the environment and from options."""

from typing import Annotated

from pydantic import AliasChoices, BeforeValidator, Field
from pydantic.fields import FieldInfo
from pydantic_settings import NoDecode


def env(*names: str) -> FieldInfo:
    """Return a field that is read from these environment variables; the first that is set wins."""
    field: FieldInfo = Field(validation_alias=AliasChoices(*names))
    return field


def _split(value: object) -> object:
    """Return a list from an environment variable's text, `a,b`, or a repeated option's, ["a,b", "c"]."""
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        return value
    return tuple(part.strip() for text in value for part in str(text).split(",") if part.strip())


def _lower(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


LOWER = BeforeValidator(_lower)
"""Takes a text in any case."""

Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
Count = Annotated[int, Field(ge=1)]
Limit = Annotated[int | None, Field(ge=1)]
Seconds = Annotated[float, Field(gt=0)]
Duration = Annotated[float, Field(gt=0, allow_inf_nan=False)]
"""The longest that something may last, in seconds, from which its memory is bounded."""
