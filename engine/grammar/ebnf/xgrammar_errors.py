"""The mapping of xgrammar's errors to the engine's."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from engine.port.errors import InvalidGrammar

_WHERE_IN_XGRAMMAR = re.compile(r"^(\[[\d:]+\] )?\S+\.(cc|h):\d+: ")
_CHECK_IN_XGRAMMAR = re.compile(r"^Check failed: \(.*?\) is false: ")


@contextmanager
def mapped_xgrammar_errors() -> Iterator[None]:
    """Raise xgrammar's errors about a grammar that it cannot read as InvalidGrammar, without its own source
    line and condition. Raises MemoryError where its memory did not suffice."""
    try:
        yield
    except (RuntimeError, ValueError, TypeError) as error:
        if "bad_alloc" in str(error):
            raise MemoryError from error
        message = _CHECK_IN_XGRAMMAR.sub("", _WHERE_IN_XGRAMMAR.sub("", str(error))).strip()
        raise InvalidGrammar(message or "xgrammar cannot read it") from error
