"""The differences as text for people, grouped by operation and schema."""

import json
from itertools import groupby
from typing import Any

from verbatim_kit.drift.difference import Difference
from verbatim_kit.generate.documents.document import Pointer, render_pointer

_WIDTH = 80  # characters of a value that a line shows


def render_report(rows: list[Difference]) -> str:
    """One paragraph an operation, component or other part; rows are in the order of their places."""
    paragraphs = []
    for title, group in groupby(rows, key=lambda row: _title(row.pointer)):
        paragraphs.append("\n".join([title, *(_line(row) for row in group)]))
    return "\n\n".join(paragraphs)


def _title(pointer: Pointer) -> str:
    match pointer:
        case ("paths", path, method, *_):
            return f"{method.upper()} {path}"
        case ("paths", path):
            return path
        case ("components", kind, name, *_):
            return f"{kind.removesuffix('s')} {name}"
        case _:
            return pointer[0] if pointer else "document"


def _line(row: Difference) -> str:
    values = {
        "added": _show(row.upstream),
        "removed": _show(row.ours),
        "changed": f"{_show(row.ours)} -> {_show(row.upstream)}",
    }
    return f"  {row.kind:<8} {render_pointer(row.pointer)}: {values[row.kind]}"


def _show(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..."
