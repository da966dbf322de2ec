"""Each wait for a client has its time limit, and begins when it is first checked."""

import pytest

from tests.unit.verbatim_kit.http.echo import LIMITS
from verbatim_kit.http.client_times import Awaited, ClientTimes

NEVER = float("inf")
# Seconds that each wait may last, with the limits of `LIMITS`.
WAITS = {
    Awaited.FIRST_REQUEST: LIMITS.header_timeout,
    Awaited.REQUEST: LIMITS.keep_alive_timeout,
    Awaited.HEAD: LIMITS.header_timeout,
    Awaited.BODY: LIMITS.body_timeout,
    Awaited.CLOSE: 2.0,
    Awaited.NOTHING: NEVER,
}


def test_a_new_connection_has_the_time_of_a_head_for_its_first_request() -> None:
    assert ClientTimes(LIMITS).awaited is Awaited.FIRST_REQUEST


@pytest.mark.parametrize("part", Awaited)
def test_a_wait_is_over_after_its_limit_and_not_before(part: Awaited) -> None:
    times = ClientTimes(LIMITS)
    times.wait_for(part)
    assert not times.is_over(1000.0)
    limit = WAITS[part]
    assert not times.is_over(1000.0 + min(limit, 1e9) - 0.01)
    assert times.is_over(1000.0 + min(limit, 1e9)) is (limit < NEVER)


def test_a_wait_begins_anew_with_each_part_and_each_restart() -> None:
    times = ClientTimes(LIMITS)
    assert not times.is_over(0.0)
    times.wait_for(Awaited.HEAD)
    assert not times.is_over(1000.0)
    times.restart()
    assert not times.is_over(2000.0)
    assert times.is_over(2000.0 + LIMITS.header_timeout)


def test_a_body_goes_on_only_while_each_wait_brings_enough() -> None:
    times = ClientTimes(LIMITS)
    times.wait_for(Awaited.BODY)
    times.num_body = 10**9  # came before the wait began
    now = 0.0
    assert not times.is_over(now)
    enough = int(LIMITS.body_timeout * LIMITS.min_body_rate)
    for _ in range(3):
        times.num_body += enough
        now += LIMITS.body_timeout
        assert times.is_over(now)
        assert times.goes_on(now)
        assert not times.is_over(now)
    times.num_body += enough - 1
    assert not times.goes_on(now + LIMITS.body_timeout)


def test_a_client_is_stalled_while_it_reads_nothing() -> None:
    times = ClientTimes(LIMITS)
    limit = LIMITS.client_timeout
    assert not times.is_stalled(0.0, 100)
    assert not times.is_stalled(limit - 1, 99), "it has read a byte"
    assert not times.is_stalled(2 * limit - 2, 99)
    assert not times.is_stalled(2 * limit - 2, 200), "more to read is no progress, nor a new wait"
    assert times.is_stalled(2 * limit - 1, 200)


@pytest.mark.parametrize("has_read_all", [True, False])
def test_a_client_that_has_read_is_not_stalled(has_read_all: bool) -> None:
    times = ClientTimes(LIMITS)
    assert not times.is_stalled(0.0, 100)
    if has_read_all:
        assert not times.is_stalled(1.0, 0)
    else:
        times.end_stall()
    assert not times.is_stalled(LIMITS.client_timeout, 100)
