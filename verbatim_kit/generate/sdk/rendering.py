"""The templates of the clients' package."""

import functools
import textwrap
from pathlib import Path
from typing import Any

import jinja2

_WIDTH = 108


def render(template: str, **values: Any) -> str:
    """Return a template of `templates/` with these values."""
    return _environment().get_template(template).render(**values)


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "literal": repr,
        "docstring": lambda text: " ".join(text.split()).replace("\\", "\\\\").replace('"', "'"),
        "prose": _prose,
        "code": lambda text, indent: textwrap.indent(_escape(text), " " * indent),
        "cell": lambda text: " ".join(text.split()).replace("|", "\\|").rstrip("."),
        "pipe": lambda text: text.replace("|", "\\|"),
        "indented": lambda text: textwrap.indent(text, "    "),
        "plain": lambda text: text.replace("m.", ""),
    }
    return environment


def _prose(text: str, indent: int) -> str:
    """Wrap text between the docstring's edge and the longest line."""
    margin = " " * indent
    return textwrap.fill(
        " ".join(text.split()),
        _WIDTH,
        initial_indent=margin,
        subsequent_indent=margin,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
