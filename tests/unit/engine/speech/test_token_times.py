"""The times of tokens from weights of attention."""

import numpy as np
import pytest
from transformers.models.whisper import generation_whisper

from engine.speech.token_times import _smoothed, _starts, token_times


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (7, 1), (5, 30), (30, 5), (40, 60)])
def test_the_path_is_that_of_transformers(shape: tuple[int, int]) -> None:
    gains = np.random.default_rng(0).standard_normal(shape)
    text, times = vars(generation_whisper)["_dynamic_time_warping"](-gains)
    jumps = np.pad(np.diff(text), (1, 0), constant_values=1).astype(bool)
    assert _starts(gains).tolist() == times[jumps].tolist()


def test_weights_on_one_place_after_another_give_their_times() -> None:
    weights = np.full((2, 3, 60), 0.001, dtype=np.float32)
    for token, place in enumerate((5, 25, 45)):
        weights[:, token, place : place + 10] = 0.5
    first, second, third = token_times(weights, 7)
    assert first == 0.0
    assert second == pytest.approx(0.5, abs=0.24)
    assert third == pytest.approx(0.9, abs=0.24)


def test_a_token_alone_begins_at_the_start_and_nothing_has_no_times() -> None:
    assert token_times(np.ones((2, 1, 50), dtype=np.float32), 7) == (0.0,)
    assert token_times(np.ones((2, 0, 50), dtype=np.float32), 7) == ()
    assert token_times(np.ones((2, 3, 0), dtype=np.float32), 7) == (0.0, 0.0, 0.0)


def test_smoothing_takes_the_median_of_neighbours_mirrored_at_the_ends() -> None:
    values = np.array([[0, 9, 1, 2, 3]], dtype=np.float32)
    assert _smoothed(values, 3).tolist() == [[9, 1, 2, 2, 2]]
    assert _smoothed(values[:, :1], 3).tolist() == [[0]]
