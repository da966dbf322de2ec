from collections.abc import Callable
from random import Random

import pytest

from handlers.concurrency.limit import (
    MAX_SEQUENCES,
    Beams,
    ConcurrencyLimit,
    Overloaded,
    TooManyBeams,
    TooManySequences,
)


def test_permits_are_given_back_when_the_block_ends() -> None:
    limit = ConcurrencyLimit(2)
    with limit.hold(2, "n"):
        assert limit.in_use == 2
    assert limit.in_use == 0


def test_permits_are_given_back_when_the_block_raises() -> None:
    limit = ConcurrencyLimit(2)
    with pytest.raises(KeyError), limit.hold(1, "n"):
        raise KeyError
    assert limit.in_use == 0


def test_a_request_gets_all_its_permits_or_none() -> None:
    limit = ConcurrencyLimit(3)
    with limit.hold(2, "n"):
        with pytest.raises(Overloaded), limit.hold(2, "n"):
            pytest.fail("entered without permits")
        assert limit.in_use == 2


def test_a_request_may_have_more_sequences_than_the_server_runs_at_once() -> None:
    limit = ConcurrencyLimit(3)
    with limit.hold(MAX_SEQUENCES, "n"):
        assert limit.in_use == 3
    assert limit.in_use == 0


def test_a_request_for_too_many_sequences_is_never_let_in() -> None:
    too_many = ConcurrencyLimit(3).hold(MAX_SEQUENCES + 1, "n")
    with pytest.raises(TooManySequences, match="`n` requests 40961 sequences"), too_many:
        pytest.fail("entered without permits")


def test_a_request_holds_no_more_than_its_share() -> None:
    limit = ConcurrencyLimit(8, 2)
    with limit.hold(8, "n"):
        assert limit.in_use == 2
        with limit.hold(1, "n"), limit.hold(7, "n"):
            assert limit.in_use == 5
    assert limit.in_use == 0


def test_a_search_wider_than_the_share_is_never_let_in() -> None:
    limit = ConcurrencyLimit(8, 2)
    with pytest.raises(
        TooManyBeams, match="`width` requests 3 beams; the limit for a request is 2"
    ) as caught:
        limit.hold(3, "n", Beams("width", 3)).__enter__()
    assert caught.value.field == "width"
    with limit.hold(2, "n", Beams("width", 2)):
        assert limit.in_use == 2


class Clock:
    """Time that a test decides."""

    now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def full(clock: Clock, draw: Callable[[float, float], float], *, interval_s: float = 0.0) -> ConcurrencyLimit:
    """A server without room, whose permits came back one in every interval of late."""
    limit = ConcurrencyLimit(1, clock=clock, draw=draw)
    for _ in range(64 if interval_s else 0):
        with limit.hold(1, "n"):
            clock.now_s += interval_s
    limit.in_use = 1
    return limit


def middle(low: float, high: float) -> float:
    return (low + high) / 2


def test_who_is_refused_waits_for_all_who_were_refused_before() -> None:
    limit = full(Clock(), middle, interval_s=2.0)
    told = [limit.overloaded().retry_after_s for _ in range(5)]
    assert told == [2, 4, 6, 8, 10]


def test_the_line_of_those_refused_grows_shorter_as_permits_come_back() -> None:
    clock = Clock()
    limit = full(clock, middle, interval_s=0.5)
    for _ in range(20):
        limit.overloaded()
    clock.now_s += 5.0
    # Nothing came back in these five seconds, so permits seem to come more slowly, and some have had room.
    assert 5 <= limit.overloaded().retry_after_s <= 8


def test_nobody_is_told_of_more_than_a_minute_however_many_come() -> None:
    clock = Clock()
    limit = full(clock, middle, interval_s=0.1)
    told = [limit.overloaded().retry_after_s for _ in range(100_000)]
    assert max(told) == 60
    clock.now_s += 60.0
    limit._returns.extend([clock.now_s - 0.1 * k for k in reversed(range(64))])
    assert limit.overloaded().retry_after_s <= 2


def test_before_anything_has_ended_a_client_comes_back_soon() -> None:
    assert full(Clock(), middle).overloaded().retry_after_s == 1


def test_those_refused_together_come_back_apart() -> None:
    limit = full(Clock(), Random(0).uniform, interval_s=1.0)
    for _ in range(20):
        limit.overloaded()
    told = [limit.overloaded().retry_after_s for _ in range(20)]
    assert len({*told}) > 8
    assert all(10 <= seconds <= 60 and seconds == int(seconds) for seconds in told)


def test_room_for_one_is_room() -> None:
    limit = ConcurrencyLimit(2)
    with limit.hold(1, "n"):
        assert limit.has_room
        with limit.hold(1, "n"):
            assert not limit.has_room
