"""The HTML report: a single page without scripts or network access."""

import json
from importlib.resources import files

from jinja2 import Environment, StrictUndefined

from verbatim_kit.conform.client import Answer
from verbatim_kit.conform.report.run import Run
from verbatim_kit.conform.request import Request

_MAX_CHARACTERS = 3000  # shown of a body or of a command


def render_html(run: Run) -> str:
    """Return the HTML page."""
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["body"] = _request_body
    environment.filters["answer"] = _answer_body
    environment.filters["cut"] = _cut
    template = environment.from_string(files(__package__).joinpath("page.html.jinja").read_text())
    return template.render(run=run, checks=run.checks)


def _request_body(request: Request) -> str:
    return _pretty(request.content or b"")


def _answer_body(answer: Answer) -> str:
    return _pretty(answer.body)


def _pretty(body: bytes) -> str:
    try:
        return _cut(json.dumps(json.loads(body), indent=2, ensure_ascii=False))
    except ValueError:
        return _cut(body.decode(errors="replace"))


def _cut(text: str) -> str:
    if len(text) <= _MAX_CHARACTERS:
        return text
    return f"{text[:_MAX_CHARACTERS]}\n... {len(text) - _MAX_CHARACTERS} more characters, all in report.json"
