"""Which operation a requested path is of."""

import re

from generated.operation import Operation


def is_of(operation: Operation, method: str, path: str) -> bool:
    """Whether a request is for the operation, whatever its path's parameters are."""
    template = re.sub(r"\\\{[^}]*\}", ".+", re.escape(operation.path))
    return method == operation.method and re.fullmatch(template, path) is not None
