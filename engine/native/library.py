"""The library of compiled functions, which is loaded if its structures match ours.

It is searched in the folder that VERBATIM_KERNEL_CACHE names, in the folder of those that came with the
package (wheels for one architecture have it), and in the user's cache. Where none of them has it, it is
compiled and kept. Its name holds a digest of the sources and the flags, so a library of other sources is
never found. Where nothing can be kept, as for a user without a home, it is compiled for this process only.
Without a library, the callers use torch.
"""

import ctypes
import logging
import os
import platform
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

import torch  # noqa: F401 - its OpenMP library must be there before ours is loaded

from engine.host.user_cache import user_cache
from engine.native.compiler import PREBUILT, CannotCompile, Target, build, file_names
from engine.native.layouts import layout_differences
from engine.native.openmp import share_openmp
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
        return _without(f"it runs only on Linux, not on {platform.system()}", logging.INFO)
    try:
        share_openmp()
        library = _load_found() or _compile()
    except CannotCompile as error:
        return _without(str(error), logging.WARNING)
    except (OSError, RuntimeError) as error:  # RuntimeError: of OpenMP
        return _without(f"it cannot be compiled or loaded: {error}", logging.WARNING)
    differences = "; ".join(layout_differences(library, MIRRORS, CONSTANTS))
    if differences:
        return _without(f"its structures differ: {differences}", logging.ERROR)
    return Loaded(library)


def _compile() -> ctypes.CDLL:
    """Compile the library and load it, from a folder of this process where none can be kept for others.

    Raises CannotCompile, or OSError where there is no folder at all, or not the one that is named.
    """
    target = Target.of_this_processor()
    what = f"compiling the CPU kernels for {target.label}"
    _log.info("%s: once for this user, about a minute on a free core", what)
    begin = time.monotonic()
    try:
        path = build(target, kernel_cache())
        _log.info("compiled the CPU kernels in %.0f s; later starts load %s", time.monotonic() - begin, path)
        return ctypes.CDLL(str(path))
    except (OSError, RuntimeError) as error:
        if os.environ.get(VARIABLE):
            raise
        _log.warning("compiled code is not kept for later starts: %s; --kernel-cache names a folder", error)
    with tempfile.TemporaryDirectory(prefix="verbatim-kernels-") as folder:
        return ctypes.CDLL(str(build(target, Path(folder))))


def _load_found() -> ctypes.CDLL | None:
    """Load the first library that is found and can be loaded; a prebuilt one may need a newer system."""
    for directory in _searched():
        for path in (directory / name for name in file_names()):
            if not path.exists():
                continue
            try:
                return ctypes.CDLL(str(path))
            except OSError as error:
                _log.warning("%s cannot be loaded: %s", path, error)
    return None


def _searched() -> Iterator[Path]:
    """Yield the folders to search, in order."""
    if os.environ.get(VARIABLE):
        yield kernel_cache()
        yield PREBUILT
    else:
        yield PREBUILT
        with suppress(RuntimeError):  # the user has no home
            yield kernel_cache()


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
    return user_cache()


def load_library() -> ctypes.CDLL | None:
    """Return the compiled functions; None if there are none."""
    return loaded().library


def compiled() -> ctypes.CDLL:
    """Return the compiled functions, which must exist."""
    library = load_library()
    assert library is not None
    return library
