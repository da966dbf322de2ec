"""The parts of a window's transcript."""

from handlers.transcription.parts import Part, split_window, whole_window
from tests.unit.handlers.transcription.infos import INFO

A, B = 5, 6  # text


def at(step: int) -> int:
    """Return the token of a time."""
    return INFO.first_timestamp_id + step


def test_two_timestamps_in_a_row_separate_parts_and_the_rest_is_left() -> None:
    split = split_window([at(0), A, at(4), at(5), B, at(9), at(9), A], INFO, 100)
    assert split.parts == (Part(0, 3, 0, 4), Part(3, 6, 5, 9))
    assert split.num_frames == 18


def test_a_timestamp_alone_at_the_end_ends_the_window() -> None:
    split = split_window([at(1), A, at(4), at(5), B, at(9)], INFO, 100)
    assert split.parts == (Part(0, 3, 1, 4), Part(3, 6, 5, 9))
    assert split.num_frames == 100


def test_without_a_pair_all_is_one_part_until_the_last_timestamp() -> None:
    assert split_window([at(1), A, at(4)], INFO, 100) == ((Part(0, 3, 0, 4),), 100)


def test_without_an_end_a_part_ends_with_the_sound() -> None:
    assert split_window([at(0), A, B], INFO, 90) == ((Part(0, 3, 0, 45),), 90)
    assert split_window([], INFO, 90) == ((Part(0, 0, 0, 45),), 90)


def test_a_window_that_was_asked_for_no_timestamps_is_one_part() -> None:
    assert whole_window([A, at(4), at(5), B], INFO, 90) == ((Part(0, 4, 0, 45),), 90)
