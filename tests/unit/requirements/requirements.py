"""The distribution's requirements, as `requirements/` has them."""

from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ENGINE: Final = ("engine", "transformers", "xgrammar")
FOLDER: Final = Path(__file__).parents[3] / "requirements"


def read_requirements(*names: str) -> dict[str, Requirement]:
    """Return the requirements of files by the distributions' names; by default, of what serves.

    names: of files in `requirements/`, without their suffix.
    """
    lines = [
        line.partition(" #")[0].strip()
        for name in names or ("front", *ENGINE, "media")
        for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    ]
    return {canonicalize_name(wanted.name): wanted for wanted in map(Requirement, filter(None, lines))}
