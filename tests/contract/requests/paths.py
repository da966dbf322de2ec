"""Finds the operation that a requested path belongs to."""

import re

from verbatim_kit.runtime.operation import Operation


def is_of(operation: Operation, method: str, path: str) -> bool:
    """Return whether a request is for the operation, whatever its path's parameters are."""
    template = re.sub(r"\\\{[^}]*\}", ".+", re.escape(operation.path))
    return method == operation.method and re.fullmatch(template, path) is not None
