"""The longest regular expression that is read."""

import re
from typing import Final

from engine.port.errors import InvalidGrammar

CHARACTER_CLASS: Final = re.compile(r"\[(?!\^?\])\^?(?:[^\]\\]|\\.)+\]", re.DOTALL)
"""A class that is not empty."""

MAX_LENGTH: Final = 8192  # characters, with each class counted as two
MAX_WRITTEN: Final = 32_768  # all characters; a general category of Unicode is up to two thousand


def check_length(pattern: str) -> None:
    """Raise InvalidGrammar for a pattern that is too long."""
    if len(pattern) > MAX_WRITTEN:
        raise InvalidGrammar(
            f"a regular expression may have {MAX_WRITTEN} characters, its properties written out"
        )
    if len(pattern) > MAX_LENGTH and (length := len(CHARACTER_CLASS.sub("[]", pattern))) > MAX_LENGTH:
        raise InvalidGrammar(f"a regular expression may have {MAX_LENGTH} characters; this one has {length}")
