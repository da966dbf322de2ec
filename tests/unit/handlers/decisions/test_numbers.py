"""The numbers of answers, by figures that others have printed."""

import pytest

from handlers.decisions.numbers import choice_confidence, expected_score, likeliest, score_confidence


@pytest.mark.parametrize(
    ("probabilities", "confidence"),
    [
        ((0.8, 0.15, 0.05), 0.70),
        ((0.95, 0.02, 0.01, 0.02), 0.9333),  # an example of OpenAI's guide, which shows 0.93
        ((0.25, 0.25, 0.25, 0.25), 0.0),
        ((0.0, 1.0), 1.0),
        ((1.0,), 1.0),
    ],
)
def test_the_confidence_of_a_choice_is_0_if_all_are_alike_and_1_if_one_is_certain(
    probabilities: tuple[float, ...], confidence: float
) -> None:
    assert choice_confidence(probabilities) == pytest.approx(confidence, abs=1e-4)


@pytest.mark.parametrize(
    ("probabilities", "confidence"),
    [
        ((0.05, 0.25, 0.6, 0.1), 0.55),
        ((0.1, 0.7, 0.2), 0.55),  # an example of OpenAI's guide
        ((0.85, 0.15, 0.0), 0.775),  # examples of TypeSafe, which show 0.78 and 0.92
        ((0.0, 0.95, 0.05), 0.925),
        ((0.5, 0.0, 0.5), 0.0),  # further from the first level than an even distribution
        ((1.0,), 1.0),
    ],
)
def test_the_confidence_of_a_score_falls_with_the_distance_from_the_likeliest_level(
    probabilities: tuple[float, ...], confidence: float
) -> None:
    assert score_confidence(probabilities) == pytest.approx(confidence, abs=1e-9)


def test_a_score_is_the_mean_of_the_levels_from_0() -> None:
    assert expected_score((0.05, 0.25, 0.6, 0.1)) == pytest.approx(1.75)


def test_the_first_of_equals_is_the_likeliest() -> None:
    assert likeliest((0.2, 0.4, 0.4)) == 1
