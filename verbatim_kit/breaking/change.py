"""One breaking change, named so precisely that acknowledging it acknowledges nothing else."""

import json
from dataclasses import dataclass
from typing import Any

from typing_extensions import override

from verbatim_kit.generate.documents.document import Pointer, render_pointer


@dataclass(frozen=True, order=True)
class Change:
    """A breaking change: what broke, for whom, and where.

    side: `request` (what was accepted is accepted no more), `response` (what is answered was never promised,
    or what was promised is answered no more), `operation` or `sdk`.
    place: a JSON pointer into the document that still has or now has it, `GET /info`, or a Python name.
    detail: the values before and after, as JSON.
    """

    side: str
    kind: str
    place: str
    detail: str = ""

    @override
    def __str__(self) -> str:
        """The line that acknowledges it, without the reason."""
        text = f"{self.side} {self.kind} {self.place}"
        return f"{text}: {self.detail}" if self.detail else text


def schema_change(side: str, kind: str, pointer: Pointer, detail: str = "") -> Change:
    """A change at a place of the document."""
    return Change(side, kind, render_pointer(pointer), detail)


def show(value: Any) -> str:
    """A JSON value on one line, without the mark that ends an acknowledgement."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True).replace("`", "\\u0060")


def show_both(before: Any, after: Any) -> str:
    """`1 -> 2`; a value that is not there is `absent`."""
    return f"{show_if_there(before)} -> {show_if_there(after)}"


def show_if_there(value: Any) -> str:
    """Return `show` of a value, or `absent` for None, which no keyword of a bound has as its value."""
    return "absent" if value is None else show(value)
