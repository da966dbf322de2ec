"""The environment of the templates that write code."""

from pathlib import Path

import jinja2


def template_environment(folder: Path) -> jinja2.Environment:
    """Return an environment for the templates in a folder; a name that is not defined is an error there.

    Its filters: `literal` writes a value as Python does, `docstring` a document's text on one line and
    harmless inside a docstring.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"literal": repr, "docstring": _docstring}
    return environment


def _docstring(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace('"', "'")
