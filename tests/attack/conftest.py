"""The server that attacks are aimed at, and how long they go on.

`make attack` runs every attack whole (VERBATIM_ATTACK=whole); `make attack SHORT=1`, which is part of `make
check`, runs each within seconds.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.conftest import LIMITS, Server, running_server

_HERE: Final = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _HERE in item.path.parents:
            item.add_marker(pytest.mark.attack)


@pytest.fixture(scope="session")
def is_whole() -> bool:
    """Return whether the attack may take minutes."""
    return os.environ.get("VERBATIM_ATTACK") == "whole"


@pytest.fixture(scope="session")
def attacked() -> Iterator[Server]:
    """Yield the server that is shared by all attacks that do not end it and need no option of their own."""
    with running_server(*LIMITS) as server:
        yield server
