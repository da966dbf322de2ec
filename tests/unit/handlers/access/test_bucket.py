import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.access.bucket import TokenBucket

SECONDS = st.floats(min_value=0, max_value=1e5, allow_nan=False)
RATES = st.integers(min_value=1, max_value=10**6)


@given(RATES, st.lists(SECONDS, max_size=60))
def test_who_waits_never_gets_more_than_the_rate_and_one_full_bucket(
    per_minute: int, pauses: list[float]
) -> None:
    now_s, num_spent = 1e6, 0
    bucket = TokenBucket(per_minute, now_s)
    for pause_s in [0.0, *pauses]:
        now_s += pause_s
        for _ in range(50):
            if bucket.wait_s(now_s) > 0:
                break
            bucket.spend(1, now_s)
            num_spent += 1
    assert num_spent <= per_minute * (1 + (now_s - 1e6) / 60) + 1e-3


@given(RATES, st.integers(min_value=0, max_value=10**6), SECONDS)
def test_what_is_left_and_when_it_is_full_agree(per_minute: int, cost: int, pause_s: float) -> None:
    bucket = TokenBucket(per_minute, 0.0)
    bucket.spend(cost, 0.0)
    left = bucket.left(pause_s)
    assert 0 <= left <= per_minute
    assert (bucket.wait_s(pause_s) > 0) == (left == 0)
    assert bucket.left(pause_s + bucket.fills_in_s(pause_s)) >= per_minute - 1


@given(RATES, st.lists(st.tuples(SECONDS, st.integers(min_value=0, max_value=10**6)), max_size=30))
def test_the_wait_is_enough_and_no_longer_than_it_must_be(
    per_minute: int, costs: list[tuple[float, int]]
) -> None:
    now_s = 0.0
    bucket = TokenBucket(per_minute, now_s)
    for pause_s, cost in costs:
        now_s += pause_s
        bucket.spend(cost, now_s)
        wait_s = bucket.wait_s(now_s)
        assert bucket.wait_s(now_s + wait_s * 1.000001 + 1e-6) == 0.0
        if wait_s > 1e-3:
            assert bucket.wait_s(now_s + wait_s * 0.99) > 0.0


@given(RATES, SECONDS)
def test_a_long_rest_fills_the_bucket_and_no_more(per_minute: int, rest_s: float) -> None:
    bucket = TokenBucket(per_minute, 0.0)
    bucket.spend(per_minute, rest_s)
    assert bucket.wait_s(rest_s) == pytest.approx(60 / per_minute)


def test_what_is_overdrawn_is_paid_back_before_anything_is_taken() -> None:
    bucket = TokenBucket(60, 0.0)
    bucket.spend(180, 0.0)
    assert bucket.wait_s(0.0) == pytest.approx(121.0)
    assert bucket.wait_s(100.0) == pytest.approx(21.0)
    assert bucket.wait_s(122.0) == 0.0
