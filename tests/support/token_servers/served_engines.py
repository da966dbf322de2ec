"""Our server by the engine behind it: its own, or one over a token server of each kind.

A folder's conftest that imports the fixtures gives them to its tests.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

import httpx
import pytest

from engine.port.info.capabilities import Capabilities
from tests.conftest import LIMITS
from tests.contract.over_servers.agreement import lacks
from tests.support.selection.effort import IS_WHOLE
from tests.support.token_servers.fronts import KINDS, Fronts, Recording, api_of, running_fronts

OWN: Final = "own"
ENGINES: Final = (OWN, *(KINDS if IS_WHOLE else KINDS[:1]))
"""The engines behind the servers that tests ask by URL; `make test-long` has every kind of token server."""


class Served(NamedTuple):
    """A server. engine: one of ENGINES. options: of `verbatim serve` for another one like it.

    computing: the engine that computes its tokens, if that is in this process; computing_url: its own server.
    """

    engine: str
    url: str
    options: tuple[str, ...]
    capabilities: Capabilities
    computing_url: str
    computing: Recording | None = None

    @property
    def is_own(self) -> bool:
        """True if the server's own process computes."""
        return self.engine == OWN

    def lacks(self, method: str, path: str, content: bytes | None) -> bool:
        """Return whether its engine lacks what this request asks the one that computes for."""
        if self.computing is None:
            return False
        self.computing.requests.clear()
        headers = {"content-type": "application/json"}
        httpx.request(method, self.computing_url + path, content=content, headers=headers, timeout=100)
        return lacks(self.capabilities, self.computing.requests)


@pytest.fixture(scope="session")
def fronts() -> Iterator[Fronts]:
    """Yield an engine of the embedded model in this process, and fronts over servers of token APIs."""
    with running_fronts() as running:
        yield running


@pytest.fixture(
    scope="session", params=[OWN, *(pytest.param(kind, marks=pytest.mark.long) for kind in ENGINES[1:])]
)
def served(request: pytest.FixtureRequest) -> Served:
    """Return a server that no test stops, by each engine."""
    if request.param == OWN:
        url: str = request.getfixturevalue("server_url")
        return Served(OWN, url, LIMITS, Capabilities(), url)
    running: Fronts = request.getfixturevalue("fronts")
    front = running.over(request.param)
    options = ("--engine", api_of(front.kind).name, "--engine-url", front.upstream)
    return Served(front.kind, front.url, options, front.capabilities, running.own_url, running.engine)
