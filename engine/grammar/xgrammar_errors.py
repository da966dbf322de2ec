"""The mapping of xgrammar's errors to the engine's."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from engine.errors import InvalidGrammar

_WHERE_IN_XGRAMMAR = re.compile(r"^(\[[\d:]+\] )?\S+\.(cc|h):\d+: ")


@contextmanager
def mapped_xgrammar_errors() -> Iterator[None]:
    """Raise xgrammar's errors about a grammar that it cannot read as InvalidGrammar, without the source line
    of its own. Raises MemoryError where its memory did not suffice."""
    try:
        yield
    except (RuntimeError, ValueError, TypeError) as error:
        if "bad_alloc" in str(error):
            raise MemoryError from error
        raise InvalidGrammar(_WHERE_IN_XGRAMMAR.sub("", str(error)).strip()) from error
