"""The number of random trials that a run makes: a share of them, or all (`make test-long`)."""

import os
from typing import Final

IS_WHOLE: Final = os.environ.get("VERBATIM_TESTS") == "whole"


def trials(usual: int, *, whole: int) -> int:
    """Return how many trials to make in this run."""
    return whole if IS_WHOLE else usual
