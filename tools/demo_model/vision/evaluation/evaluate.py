"""Greedy replies to trials about held-out drawings, counted by kind of question."""

from pathlib import Path
from typing import Final

from tools.demo_model.evaluation.evaluate import Score, score
from tools.demo_model.vision.evaluation.examinee import PictureExaminee
from tools.demo_model.vision.evaluation.trials import later_trials, picture_trials, trials_without_picture
from tools.demo_model.vision.questions import QUESTIONS

_THOUGHT_KINDS: Final = ("description", "count", "digit")


def evaluate(directory: Path, num_trials: int, failures: bool) -> list[Score]:
    """Score every kind of question, some with thinking on, later turns, and turns without a picture."""
    examinee = PictureExaminee(directory)
    asked = {kind: picture_trials(kind, num_trials, False) for kind in QUESTIONS}
    asked |= {f"{kind}, thinking": picture_trials(kind, num_trials, True) for kind in _THOUGHT_KINDS}
    asked |= {"a later turn": later_trials(num_trials), "no picture": trials_without_picture(num_trials)}
    return [score(examinee.replies, kind, trials, failures) for kind, trials in asked.items()]
