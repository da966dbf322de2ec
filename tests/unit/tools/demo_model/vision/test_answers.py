"""The committed weights still see what they were trained to see: held-out drawings, asked about greedily."""

from collections.abc import Callable, Sequence

import pytest
from safetensors import safe_open

from engine.demo_vision import DEMO_VISION
from tools.demo_model.evaluation import Examinee, Trial, is_right
from tools.demo_model.vision.questions import (
    QUESTIONS,
    later_trials,
    picture_trials,
    trials_without_picture,
)

Answerer = Callable[[Sequence[Trial]], list[str]]
NUM_TRIALS = 4
MOST_MISSED = 0.15  # the weights miss one in twenty, and these are few


@pytest.fixture(scope="module")
def answerer() -> Answerer:
    """The model in transformers, whose place an engine can take."""
    return Examinee(DEMO_VISION).replies


def test_held_out_drawings_are_answered_right(answerer: Answerer) -> None:
    trials = [trial for kind in QUESTIONS for trial in picture_trials(kind, NUM_TRIALS, thinking=False)]
    trials += picture_trials("description", NUM_TRIALS, thinking=True)
    trials += later_trials(NUM_TRIALS) + trials_without_picture(NUM_TRIALS)
    assert len(trials) == 40
    missed = [
        (trial.expected.user, trial.expected.answer, reply)
        for trial, reply in zip(trials, answerer(trials), strict=True)
        if not is_right(trial, reply)
    ]
    assert len(missed) <= MOST_MISSED * len(trials), missed


def test_the_weights_are_few() -> None:
    weights = DEMO_VISION / "model.safetensors"
    with safe_open(weights, "pt") as file:
        num_parameters = sum(file.get_tensor(name).numel() for name in file.keys())  # noqa: SIM118
    assert 4_000_000 < num_parameters < 5_000_000
    assert weights.stat().st_size < 15 * 2**20
