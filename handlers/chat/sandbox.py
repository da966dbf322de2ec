"""transformers' sandbox for chat templates, entered directly.

Its `apply_chat_template` copies all that a template sees, in case there are objects with methods in it, and
merges variables in Python. That costs half as much again as the template, and here all is plain JSON.
"""

from functools import lru_cache

from jinja2 import Environment, Template
from transformers.utils.chat_template_utils import _compile_jinja_template

_MAX_TEMPLATES = 128  # as many as transformers keeps


@lru_cache(_MAX_TEMPLATES)
def sandboxed(source: str) -> Template:
    """The template among the filters and functions that transformers gives to all."""
    environment: Environment = _compile_jinja_template(source).environment
    # One plain dictionary: a chain of them, as the environment makes, is walked anew for each prompt.
    return Template.from_code(environment, environment.compile(source), dict(environment.globals))
