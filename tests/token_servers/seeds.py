"""One seed for requests whose clients gave none, so that two answers to them can be compared."""

from types import SimpleNamespace
from typing import Final

import pytest

SEED: Final = 11


def draw_one_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all applications in this process draw the same seed."""
    monkeypatch.setattr("handlers.service.seed.random", SimpleNamespace(getrandbits=lambda bits: SEED))
