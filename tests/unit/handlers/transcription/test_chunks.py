"""The chunks of a sound: speech is divided in its pauses, and nothing loud is left out."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from handlers.transcription.chunks import Chunk, PauseRules, speech_chunks
from tests.support.selection.effort import trials

SPEECH, BACKGROUND = -20.0, -60.0


def by_turns(*num_frames: int, background: float = BACKGROUND) -> NDArray[np.float32]:
    """Return the levels of speech and of a background, by turns; a frame takes a hundredth of a second."""
    levels = [
        np.full(length, SPEECH if place % 2 == 0 else background) for place, length in enumerate(num_frames)
    ]
    return np.concatenate(levels).astype(np.float32)


def chunks_of(levels: NDArray[np.float32], window_frames: int = 100, **rules: Any) -> list[Chunk]:
    return speech_chunks(levels, PauseRules()._replace(**rules), 100, window_frames)


def test_chunks_are_speech_with_what_is_before_and_behind_it() -> None:
    levels = by_turns(0, 200, 50, 200, 50, 200)
    assert chunks_of(levels) == [(170, 270), (420, 520)]
    assert chunks_of(levels, prefix_padding_ms=0, silence_duration_ms=500) == [(200, 300), (450, 550)]
    assert chunks_of(levels, prefix_padding_ms=9_999, silence_duration_ms=9_999) == [(0, 700)]


def test_a_pause_is_as_long_as_the_rules_have_it() -> None:
    levels = by_turns(80, 30, 80)
    assert chunks_of(levels, silence_duration_ms=300) == [(0, 110), (110, 190)]
    assert chunks_of(levels, silence_duration_ms=310) == [(0, 190)]


def test_stretches_that_are_heard_at_once_are_one_chunk() -> None:
    levels = by_turns(30, 40, 30, 40, 30)
    assert chunks_of(levels, window_frames=300) == [(0, 170)]
    assert chunks_of(levels, window_frames=130) == [(0, 120), (120, 170)]


@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.7, 1.0])
def test_the_threshold_lies_between_the_background_and_the_loudest(threshold: float) -> None:
    levels = by_turns(200, 300)
    levels[400:420] = np.float32(-40)  # half as loud as speech
    is_heard = chunks_of(levels, threshold=threshold, prefix_padding_ms=0)[-1].end > 300
    assert is_heard == (threshold < 0.5)


@pytest.mark.parametrize("level", [0.0, -20.0, -100.0])
def test_a_sound_that_is_about_as_loud_everywhere_stays_whole(level: float) -> None:
    noise = np.random.default_rng(0).normal(level, 2.0, 500).astype(np.float32)
    assert chunks_of(noise) == [(0, 500)]
    assert chunks_of(np.full(7, level, np.float32)) == [(0, 7)]


def test_rare_speech_in_a_long_silence_is_found_beside_a_bang() -> None:
    levels = by_turns(0, 5_000, 100, 5_000)
    levels[2_000:2_003] = 0.0
    levels += np.random.default_rng(0).normal(0, 1, len(levels)).astype(np.float32)
    assert any(chunk.start <= 5_000 and chunk.end >= 5_100 for chunk in chunks_of(levels, 3_000))


@settings(max_examples=trials(200, whole=2000), deadline=None)
@given(
    st.lists(st.floats(-80, 0, width=32), min_size=1, max_size=300),
    st.floats(0, 1),
    st.integers(0, 2**31 - 1),
    st.integers(0, 2**31 - 1),
    st.integers(1, 100),
)
def test_chunks_follow_each_other_and_hold_the_loudest_frame(
    levels: list[float], threshold: float, prefix_ms: int, silence_ms: int, window_frames: int
) -> None:
    array = np.array(levels, np.float32)
    chunks = speech_chunks(array, PauseRules(threshold, prefix_ms, silence_ms), 100, window_frames)
    bounds = [0, *(bound for chunk in chunks for bound in chunk), len(levels)]
    assert bounds == sorted(bounds)
    assert all(chunk.start < chunk.end for chunk in chunks)
    loudest = int(array.argmax())
    assert any(chunk.start <= loudest < chunk.end for chunk in chunks)
