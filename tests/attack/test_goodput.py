"""The goodput of a server under far more load than it can serve."""

import pytest

from tests.attack.clients.load import Kind, flood, run_load
from tests.conftest import LIMITS, Server, running_server
from tools.bench.processor_time import process_s

pytestmark = pytest.mark.measured

PLACES = 32


@pytest.mark.parametrize("kind", ["generate", "generate-anew"])
def test_ten_times_as_many_requests_as_there_is_room_for_hardly_lower_what_is_answered(
    kind: Kind, is_whole: bool
) -> None:
    """Answers are counted by the server's own processor time, which others on the machine do not take.

    A second of it is what a core gives when the server has it to itself, and refusals are paid from it too.
    """
    seconds = 20.0 if is_whole else 3.0
    with running_server(*LIMITS, "--max-concurrent-requests", str(PLACES)) as server:
        _load(server, num_connections=PLACES, rate=0, seconds=1.0, kind=kind)  # warms up
        alone = _load(server, num_connections=PLACES, rate=0, seconds=seconds, kind=kind)
        rate = 10 * alone["200"]
        crowded = _load(server, num_connections=10 * PLACES, rate=rate, seconds=seconds, kind=kind)
    print(f"at 1 x: {alone}\nat 10 x: {crowded}")
    if is_whole:  # in a short span the answers under way at its end are too large a part
        assert crowded["answers a processor second"] >= 0.85 * alone["answers a processor second"]
    assert crowded["200"] > 0
    assert crowded["429"] > 0
    assert not crowded["unsaid"]  # each refusal says when to come back
    assert not any(status.startswith("5") for status in crowded)


def test_clients_that_ask_again_at_once_when_refused_take_little_from_those_who_are_served(
    is_whole: bool,
) -> None:
    seconds = 10.0 if is_whole else 3.0
    with running_server(*LIMITS, "--max-concurrent-requests", str(PLACES)) as server:
        _load(server, num_connections=PLACES, rate=0, seconds=1.0)
        alone = _load(server, num_connections=PLACES, rate=0, seconds=seconds)
        hammered = _load(server, num_connections=2 * PLACES, rate=0, seconds=seconds)
    print(f"alone: {alone}\nhammered: {hammered}")
    assert hammered["200"] >= 0.5 * alone["200"]  # a twelfth before refusals were paced
    assert 0 < hammered["429"] < 1000


def test_a_flood_of_requests_that_cost_nothing_does_not_stop_generation(is_whole: bool) -> None:
    seconds = 10.0 if is_whole else 3.0
    with running_server(*LIMITS) as server:
        _load(server, num_connections=PLACES, rate=0, seconds=1.0)
        alone = _load(server, num_connections=PLACES, rate=0, seconds=seconds)
        with flood(server.url, "health", num_connections=PLACES):
            _load(server, num_connections=PLACES, rate=0, seconds=1.0)
            flooded = _load(server, num_connections=PLACES, rate=0, seconds=seconds)
    print(f"alone: {alone}\nflooded: {flooded}")
    assert flooded["200"] >= 0.2 * alone["200"]  # none before the loop took turns with the engine


def _load(
    server: Server, *, num_connections: int, rate: float, seconds: float, kind: Kind = "generate"
) -> dict[str, float]:
    """Return answers a second by status, none for those that did not occur."""
    before = process_s(server.process.pid)
    told = run_load(server.url, num_connections=num_connections, rate=rate, seconds=seconds, kind=kind)
    spent_s = process_s(server.process.pid) - before
    return told | {"answers a processor second": told.get("200", 0) * told["seconds"] / spent_s}
