import time
import tracemalloc
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.port.errors import InvalidRequest
from engine.port.text.stop import StopMatch, StopMatcher, StopPatterns

text = st.text(alphabet="ab", max_size=12)
stops = st.lists(st.text(alphabet="ab", min_size=1, max_size=5), max_size=4)


def first_match(text: str, stops: list[str], first_end: int) -> tuple[str, int] | None:
    """The rule written out: (stop, end) of the match that ends first, at `first_end` or later."""
    for end in range(first_end, len(text) + 1):
        for stop in stops:
            if text[:end].endswith(stop):
                return stop, end
    return None


@given(pieces=st.lists(text, max_size=6), stops=stops)
def test_the_match_that_ends_first_wins_and_ties_go_by_list_order(
    pieces: list[str], stops: list[str]
) -> None:
    matcher = StopMatcher(StopPatterns(stops))
    found, num_characters = None, 0
    for piece in pieces:
        match = matcher.feed(piece)
        if match is not None:
            found = match.stop, num_characters + match.end
            break
        num_characters += len(piece)
    assert found == first_match("".join(pieces), stops, 1)


@given(pieces=st.lists(text, max_size=6), stops=stops)
def test_undecided_is_the_longest_end_of_the_text_that_starts_a_stop_string(
    pieces: list[str], stops: list[str]
) -> None:
    matcher = StopMatcher(StopPatterns(stops))
    seen = ""
    for piece in pieces:
        if matcher.feed(piece) is not None:
            return
        seen += piece
        longest = max(
            (n for stop in stops for n in range(1, len(stop)) if seen.endswith(stop[:n])),
            default=0,
        )
        assert matcher.num_undecided == longest


@given(unarmed=text, armed=text, stops=stops)
def test_a_match_that_ends_in_an_unarmed_piece_does_not_count(
    unarmed: str, armed: str, stops: list[str]
) -> None:
    matcher = StopMatcher(StopPatterns(stops))
    assert matcher.feed(unarmed, is_armed=False) is None
    match = matcher.feed(armed)
    found = (match.stop, len(unarmed) + match.end) if match else None
    assert found == first_match(unarmed + armed, stops, len(unarmed) + 1)


def test_a_match_is_found_inside_a_piece() -> None:
    assert StopMatcher(StopPatterns(["Pari"])).feed(" Paris") == StopMatch("Pari", 5)


def test_an_empty_stop_string_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="empty"):
        StopMatcher(StopPatterns(["a", ""]))


def test_time_is_linear_in_the_text_for_a_stop_string_that_almost_matches_everywhere() -> None:
    matcher = StopMatcher(StopPatterns(["a" * 5_000 + "b"]))
    assert matcher.feed("a" * 200_000) is None  # quadratic matching would need 10^9 steps
    assert matcher.num_undecided == 5_000


def test_time_does_not_grow_with_the_number_of_stop_strings() -> None:
    """Each of 30,000, which 64 KB hold, was followed by itself: 30 ms for a token that has their letter."""
    patterns = StopPatterns(["e" + chr(0x4E00 + number) for number in range(30_000)])
    matchers = [StopMatcher(patterns) for _ in range(100)]
    started = time.process_time()
    for matcher in matchers:
        for _ in range(20):
            assert matcher.feed("there, ") is None
            assert matcher.feed("the") is None
            assert matcher.num_undecided == 1
    assert time.process_time() - started < 2
    assert matchers[0].feed(chr(0x4E00 + 29_999)) == StopMatch("e" + chr(0x4E00 + 29_999), 1)


def test_a_copy_shares_the_stop_strings_and_goes_on_alone() -> None:
    matcher = StopMatcher(StopPatterns(["Paris" * 10_000]))
    assert matcher.feed("Pari") is None
    tracemalloc.start()
    copies = [deepcopy(matcher) for _ in range(100)]
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 100_000
    assert copies[0].feed("x") is None
    assert (copies[0].num_undecided, copies[1].num_undecided, matcher.num_undecided) == (0, 4, 4)
