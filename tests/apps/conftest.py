"""The time that a test may take which runs a program, for which the limit of all other tests is too short."""

from pathlib import Path

import pytest

from tests.apps.programs import LIMIT_S

_MAX_RUNS = 2  # of programs in a test


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.timeout(_MAX_RUNS * LIMIT_S + 120))
