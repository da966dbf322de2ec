"""xgrammar's own refusals as the engine's."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from engine.errors import InvalidGrammar

_WHERE_IN_XGRAMMAR = re.compile(r"^(\[[\d:]+\] )?\S+\.(cc|h):\d+: ")


@contextmanager
def refusing_in_own_words() -> Iterator[None]:
    """Within, what xgrammar says of a grammar that it cannot read becomes InvalidGrammar, without the line of
    its own source that says it. Raises MemoryError where its memory did not suffice."""
    try:
        yield
    except (RuntimeError, ValueError, TypeError) as error:
        if "bad_alloc" in str(error):
            raise MemoryError from error
        raise InvalidGrammar(_WHERE_IN_XGRAMMAR.sub("", str(error)).strip()) from error
