"""The server that tests tell what to answer."""

from collections.abc import Iterator

import pytest

from tests.unit.verbatim_kit.generate.sdk.scripted import Script, scripted_server


@pytest.fixture
def script() -> Iterator[Script]:
    with scripted_server() as script:
        yield script
