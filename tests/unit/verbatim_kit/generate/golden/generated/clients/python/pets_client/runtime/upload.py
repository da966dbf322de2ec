"""Files that a call sends, and a body with such files as the parts of a form."""

import json
from collections.abc import Mapping
from typing import IO, Any, TypeAlias

FileContent: TypeAlias = bytes | IO[bytes]
Upload: TypeAlias = FileContent | tuple[str | None, FileContent] | tuple[str | None, FileContent, str | None]
"""The content of a file, or its name, its content and its content type; an open file has its own name."""


def form_parts(
    body: Mapping[str, Any], files: frozenset[str], wire_names: Mapping[str, str]
) -> list[tuple[str, Any]]:
    """The body as httpx takes the parts of `multipart/form-data`; an array's items come one by one, and an
    object's members too, as `object[member]`.

    files: the members that are files. wire_names: of those that are called otherwise in the form.
    """
    parts: list[tuple[str, Any]] = []
    for name, value in body.items():
        wire_name = wire_names.get(name, name)
        if isinstance(value, Mapping):
            parts += [(f"{wire_name}[{key}]", (None, _text(one))) for key, one in value.items()]
            continue
        items = [] if value is None else value if isinstance(value, list) else [value]
        parts += [(wire_name, _file(name, one) if name in files else (None, _text(one))) for one in items]
    return parts


def _file(name: str, value: Any) -> Any:
    """A file always says a name, by which servers know that it is one."""
    return (name, value) if isinstance(value, bytes) else value


def _text(value: Any) -> str:
    """A text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value)
