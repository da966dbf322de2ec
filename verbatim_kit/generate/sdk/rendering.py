"""The templates of the clients' package."""

import functools
import textwrap
from pathlib import Path
from typing import Any

import jinja2

from verbatim_kit.generate.sdk.examples import render_example
from verbatim_kit.generate.template import template_environment

_WIDTH = 108


def render(template: str, **values: Any) -> str:
    """Return a template of `templates/` with these values."""
    return _environment().get_template(template).render(**values)


@functools.cache
def _environment() -> jinja2.Environment:
    environment = template_environment(Path(__file__).parent / "templates")
    environment.filters |= {
        "prose": _prose,
        "code": _code,
        "example": render_example,
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


def _code(text: str) -> str:
    """Code as it stands in a docstring."""
    return text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
