"""The checks before a version is built and tagged."""

import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tools.release.changelog import NoEntry, notes_of

_VERSION = re.compile(r"\d+\.\d+\.\d+(rc\d+)?")
PROJECTS = ("pyproject.toml", "verbatim_kit/pyproject.toml", "generated/clients/python/pyproject.toml")
"""The projects that are released together, with one version."""


def faults(root: Path, version: str) -> Iterator[str]:
    """Yield a sentence for each thing that speaks against the release of this version. root: of the clone."""
    if _VERSION.fullmatch(version) is None:
        yield f"{version!r} is no version such as 1.2.3 or 1.2.3rc1"
    for name in PROJECTS:
        stated = tomllib.loads((root / name).read_text(encoding="utf-8"))["project"]["version"]
        if stated != version:
            yield f"{name} has the version {stated}"
    try:
        notes_of(root / "CHANGELOG.md", version)
    except NoEntry as error:
        yield str(error)
    if changed := _git(root, "status", "--porcelain"):
        yield f"the working tree has changes that are not committed:\n{changed}"
    tag = f"v{version}"
    if _git(root, "tag", "--list", tag) and tag not in _git(root, "tag", "--points-at", "HEAD").splitlines():
        yield f"the tag {tag} names another commit"


def _git(root: Path, *arguments: str) -> str:
    ran = subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True)
    return ran.stdout.rstrip()
