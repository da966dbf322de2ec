"""An installation for fronts, in which Verbatim's own engine cannot be imported, made of the tests' own."""

import os
from pathlib import Path
from typing import Final

# What the extras have; the distributions of the others are needed by the tests' own libraries.
LACKING: Final = ("PIL", "av", "gguf", "llguidance", "numpy", "torch", "transformers", "xgrammar")

# Python runs a module of this name at its start. The class is what all imports from the path go through, so
# that it is as if the libraries were not there, in processes that are started by this one as well.
_AT_START: Final = """
from importlib.machinery import PathFinder

found_spec, found_distributions = PathFinder.find_spec, PathFinder.find_distributions


def find_spec(fullname, path=None, target=None):
    return None if fullname.partition(".")[0] in {lacking!r} else found_spec(fullname, path, target)


def find_distributions(*context):
    every = found_distributions(*context)
    return (each for each in every if each.metadata["Name"] not in {lacking!r})


PathFinder.find_spec, PathFinder.find_distributions = find_spec, find_distributions
"""


def front_installation(folder: Path) -> dict[str, str]:
    """Return variables for a process, in which it and all that it starts find no library of the own engine.

    folder: an empty one, which stays for as long as such processes are started.
    """
    (folder / "sitecustomize.py").write_text(_AT_START.format(lacking=LACKING), encoding="utf-8")
    paths = (str(folder), os.environ.get("PYTHONPATH", ""))
    return {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
