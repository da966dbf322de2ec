"""A file that a request brings, as handlers get it."""

from dataclasses import dataclass, field
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema


@dataclass(frozen=True, slots=True)
class Upload:
    """A file in a multipart body.

    filename, content_type: as its client calls it; empty where it says nothing. content: all its bytes.
    """

    filename: str
    content_type: str
    content: bytes = field(repr=False)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.is_instance_schema(cls)
