"""The distribution's requirements, as `requirements/` has them."""

import tomllib
from pathlib import Path
from typing import Any, Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ENGINE: Final = ("engine", "transformers", "xgrammar")
FOLDER: Final = Path(__file__).parents[3] / "requirements"


def read_requirements(*names: str) -> dict[str, Requirement]:
    """Return the requirements of files by the distributions' names; by default, of all that serves.

    names: of files in `requirements/`, without their suffix.
    """
    lines = [
        line.partition(" #")[0].strip()
        for name in names or ("front", *ENGINE, "media")
        for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    ]
    lines += [] if names else read_kit()["dependencies"]
    return {canonicalize_name(wanted.name): wanted for wanted in map(Requirement, filter(None, lines))}


def read_kit() -> dict[str, Any]:
    """Return the project table of the kit's pyproject.toml."""
    text = (FOLDER.parent / "verbatim_kit" / "pyproject.toml").read_text(encoding="utf-8")
    return dict(tomllib.loads(text)["project"])
