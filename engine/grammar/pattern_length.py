"""The longest regular expression that is read."""

import re
from typing import Final

from engine.port.errors import InvalidGrammar

MAX_LENGTH: Final = 8192  # characters, with each class counted as two
MAX_WRITTEN: Final = (
    32_768  # characters of all; a general category of Unicode is up to two thousand of a class
)
_CLASS: Final = re.compile(r"\[(?!\^?\])\^?(?:[^\]\\]|\\.)+\]", re.DOTALL)


def check_length(pattern: str) -> None:
    """Raise InvalidGrammar for a pattern that is too long."""
    if len(pattern) > MAX_WRITTEN:
        raise InvalidGrammar(
            f"a regular expression may have {MAX_WRITTEN} characters, its properties written out"
        )
    if len(pattern) > MAX_LENGTH and (length := len(_CLASS.sub("[]", pattern))) > MAX_LENGTH:
        raise InvalidGrammar(f"a regular expression may have {MAX_LENGTH} characters; this one has {length}")
