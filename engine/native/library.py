"""The library of compiled functions, which is compiled once, and loaded if its structures match ours.

It is kept in the folder that VERBATIM_KERNEL_CACHE names, or in the user's cache. `verbatim build-kernels`
puts it into an image that has no compiler. Without a library, the callers use torch.
"""

import ctypes
import logging
import os
import platform
from functools import cache
from pathlib import Path
from typing import NamedTuple

import torch  # noqa: F401 - its OpenMP library must be there before ours is loaded

from engine.native.compiler import CannotCompile, Target, build, file_names
from engine.native.layouts import layout_differences
from engine.native.structures import CONSTANTS, MIRRORS

VARIABLE = "VERBATIM_KERNEL_CACHE"
_LONGEST_REASON = 200  # characters of a compiler's message, which may have hundreds of lines

_log = logging.getLogger(__name__)


class Loaded(NamedTuple):
    """The compiled functions, or the reason why there are none."""

    library: ctypes.CDLL | None
    why_not: str = ""


@cache
def loaded() -> Loaded:
    """Load the functions, compiling them if that has not been done. A failure is logged once."""
    if platform.system() != "Linux":
        return _without(f"it runs on Linux alone, not on {platform.system()}", logging.INFO)
    try:
        path = _find_or_build(kernel_cache())
        library = ctypes.CDLL(str(path))
    except CannotCompile as error:
        return _without(str(error), logging.WARNING)
    except (OSError, RuntimeError) as error:  # RuntimeError: the user has no home
        return _without(f"it cannot be compiled or loaded: {error}", logging.WARNING)
    differences = "; ".join(layout_differences(library, MIRRORS, CONSTANTS))
    if differences:
        return _without(f"its structures differ: {differences}", logging.ERROR)
    return Loaded(library)


def _find_or_build(directory: Path) -> Path:
    found = (path for name in file_names() if (path := directory / name).exists())
    return next(found, None) or build(Target.of_this_processor(), directory)


def _without(reason: str, level: int) -> Loaded:
    _log.log(level, "torch computes everything: %s", reason)
    return Loaded(None, " ".join(reason.split())[:_LONGEST_REASON])


def kernel_cache() -> Path:
    """Return the folder of compiled functions.

    Raises RuntimeError if none is named and the user has no home.
    """
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "verbatim"


def load_library() -> ctypes.CDLL | None:
    """Return the compiled functions; None if there are none."""
    return loaded().library


def compiled() -> ctypes.CDLL:
    """Return the compiled functions, which must exist."""
    library = load_library()
    assert library is not None
    return library
