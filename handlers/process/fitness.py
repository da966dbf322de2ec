"""The check of what a process was started with, which would otherwise fail in the middle of a library."""

import os
import sys
from typing import Final

from verbatim_kit.http.descriptors import descriptor_limit

# A server has some twenty open before its first connection, keeps some for files, and starts programs that
# allow themselves as many as this.
_LEAST_DESCRIPTORS: Final = 64


class UnfitProcess(Exception):
    """The process was started in a way in which nothing can be served."""


def check_process() -> None:
    """Raise UnfitProcess if the process cannot serve, with what its operator must change."""
    try:
        os.getcwd()
    except OSError as error:
        raise UnfitProcess(
            "the working directory does not exist any more; change to one that does"
        ) from error
    if sys.flags.optimize > 1:
        raise UnfitProcess(
            "Python was started without docstrings (-OO, PYTHONOPTIMIZE=2), and transformers needs them"
        )
    limit = descriptor_limit()
    if limit is not None and limit < _LEAST_DESCRIPTORS:
        raise UnfitProcess(
            f"the limit of open files is {limit} (ulimit -n), and at least {_LEAST_DESCRIPTORS} are needed"
        )
