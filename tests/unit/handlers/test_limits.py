import pytest

from handlers.limits import ConcurrencyLimit, Overloaded, TooManySequences


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


def test_a_request_that_needs_more_than_the_limit_is_never_let_in() -> None:
    with pytest.raises(TooManySequences, match="`n` asks for 4"), ConcurrencyLimit(3).hold(4, "n"):
        pytest.fail("entered without permits")
