"""Frames are chosen as transformers' processors of videos choose them, and no more than are let in."""

from collections.abc import Callable, Iterator
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from transformers.video_utils import VideoMetadata, default_sample_indices_fn

from engine.media.files.measured_video import VideoLength
from engine.media.video import sampling
from engine.media.video.video_format import VIDEO_FORMATS
from tests.support.processors.empty_torchvision import empty_torchvision
from tests.support.selection.effort import trials

Choose = Callable[[VideoLength, sampling.Settings, int], list[int]]
MANY = 10_000
LENGTHS = st.builds(
    VideoLength, st.integers(1, 3000), st.sampled_from([0.5, 1.0, 5.0, 23.976, 24.0, 25.0, 29.97, 60.0])
)


@pytest.fixture(scope="module")
def processors() -> Iterator[Callable[[str], Any]]:
    """Return the classes of families, of which some cannot be imported without torchvision."""

    def of(family: str) -> Any:
        module = import_module(f"transformers.models.{family}.video_processing_{family}")
        return next(value for name, value in vars(module).items() if name in module.__all__)

    with empty_torchvision("video_processing_"):
        yield of


def chosen_by_transformers(processors: Any, family: str, length: VideoLength) -> list[int]:
    defaults = dict(VIDEO_FORMATS[family].defaults)
    itself = SimpleNamespace(**{"num_frames": None, "fps": None, "initial_shift": True, **defaults})
    metadata = VideoMetadata(length.num_frames, fps=length.rate, duration=length.seconds)
    found = processors(family).sample_frames(itself, metadata)
    # Rounded steps may lead one beyond the end, where there is no frame.
    return [int(place) for place in found if place < length.num_frames]


@pytest.mark.parametrize("family", ["qwen2_vl", "qwen3_vl", "smolvlm"])
def test_frames_by_rate_are_those_of_transformers(processors: Any, family: str) -> None:
    @settings(deadline=None, max_examples=trials(150, whole=1000))
    @given(LENGTHS)
    def check(length: VideoLength) -> None:
        assume(family != "qwen2_vl" or length.num_frames > 1)  # of which transformers' own makes nothing
        expected = chosen_by_transformers(processors, family, length)
        assert VIDEO_FORMATS[family].choose(length, VIDEO_FORMATS[family].defaults, MANY) == expected

    check()


@pytest.mark.parametrize("family", ["glm4v", "glm46v"])
def test_frames_of_pairs_are_those_of_transformers_and_none_comes_twice(processors: Any, family: str) -> None:
    @settings(deadline=None, max_examples=trials(150, whole=1000))
    @given(LENGTHS)
    def check(length: VideoLength) -> None:
        assume(length.seconds >= 0.5)  # of less, transformers' own takes no frame for GLM-4.6V
        expected = chosen_by_transformers(processors, family, length)
        found = VIDEO_FORMATS[family].choose(length, VIDEO_FORMATS[family].defaults, MANY)
        # The last of an odd number is repeated where patches are made.
        assert found == list(dict.fromkeys(expected))

    check()


@settings(deadline=None, max_examples=trials(150, whole=1000))
@given(LENGTHS, st.integers(1, 64))
def test_a_number_of_frames_is_spread_as_by_transformers(length: VideoLength, number: int) -> None:
    number = min(number, length.num_frames)
    metadata = VideoMetadata(length.num_frames, fps=length.rate)
    expected = default_sample_indices_fn(metadata, num_frames=number)
    assert sampling.evenly(length, {"num_frames": number}, MANY) == expected.tolist()


def test_frames_from_the_middle_are_those_of_transformers(processors: Any) -> None:
    for total in (8, 9, 30, 31, 100, 2999):
        length = VideoLength(total, 25.0)
        expected = chosen_by_transformers(processors, "internvl", length)
        assert sampling.from_the_middle(length, VIDEO_FORMATS["internvl"].defaults, MANY) == expected


@pytest.mark.parametrize("family", VIDEO_FORMATS)
def test_frames_are_in_order_and_no_more_than_there_may_be(family: str) -> None:
    @settings(deadline=None, max_examples=trials(100, whole=500))
    @given(LENGTHS, st.integers(2, 32))
    def check(length: VideoLength, most: int) -> None:
        chosen = VIDEO_FORMATS[family].choose(length, VIDEO_FORMATS[family].defaults, most)
        assert 1 <= len(chosen) <= most
        assert all(0 <= place < length.num_frames for place in chosen)
        assert (np.diff(chosen) > 0).all()

    check()
