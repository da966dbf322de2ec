"""The corrections of a document as a table: each action of its overlay, with its reason."""

import re
from collections.abc import Iterator
from html import escape
from typing import Any, Final

import yaml

from tools.docs.table import code, one_line, table

_SECTION: Final = re.compile(r"^\s*# -{8,} (?P<title>.+)$")
_INTRODUCTION: Final = (
    "{}. The source document is kept as it was published; these {} actions of `specs/{}/overlay.yaml` "
    "([OpenAPI Overlay 1.1](https://spec.openapis.org/overlay/v1.1.0.html)) turn it into the document that "
    "is served. Each action has a reason, and an action that changes nothing fails the build."
)
_ACTION: Final = re.compile(r"^\s*- target:")


def errata_page(name: str, title: str, overlay: str) -> str:
    """Markdown. overlay: the text of overlay.yaml, whose comments with a rule before them are headings."""
    document = yaml.safe_load(overlay)
    actions = document["actions"]
    parts = [f"# Corrections: {title}", _INTRODUCTION.format(document["info"]["title"], len(actions), name)]
    for heading, group in _sections(overlay, actions):
        if heading:
            parts.append(f"## {heading[0].upper()}{heading[1:]}")
        rows = table(("where", "what changes", "why"), map(_row, group))
        parts.append(f'<div class="errata" markdown>\n\n{rows}\n\n</div>')
    return "\n\n".join(parts) + "\n"


def _sections(overlay: str, actions: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    """The actions under each heading, in order."""
    heading, start, index = "", 0, 0
    for line in overlay.splitlines():
        if match := _SECTION.match(line):
            if index > start:
                yield heading, actions[start:index]
            heading, start = match["title"], index
        elif _ACTION.match(line):
            index += 1
    if index > start:
        yield heading, actions[start:]


def _row(action: Any) -> tuple[str, str, str]:
    return code(action["target"]), _change(action), one_line(action["description"])


def _change(action: Any) -> str:
    """`removed`, a copy of what, or the keys that are set, which unfold to what they are set to."""
    if action.get("remove"):
        return "removed"
    if "copy" in action:
        return f"copies {code(action['copy'])}"
    update = action["update"]
    if not isinstance(update, dict):
        return f"adds {code(str(update))}"
    text = escape(yaml.safe_dump(update, allow_unicode=True, sort_keys=False, width=60).rstrip())
    text = (
        text.replace("\n", "&#10;")
        .replace("|", "&#124;")
        .replace("`", "&#96;")
        .replace("*", "&#42;")
        .replace("_", "&#95;")
    )
    keys = ", ".join(f"<code>{escape(str(key))}</code>" for key in update)
    return f"<details><summary>sets {keys}</summary><pre>{text}</pre></details>"
