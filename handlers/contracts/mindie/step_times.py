"""Measurements of the steps that made an answer's tokens."""

from itertools import chain
from typing import NamedTuple

from engine.port.events import TokenEvent


class _Step(NamedTuple):
    batch_size: int
    wait_s: float
    step_s: float


class StepTimes:
    """The steps of each token of each answer, answers in the order of their index."""

    def __init__(self, num_answers: int) -> None:
        self._steps: list[list[_Step]] = [[] for _ in range(num_answers)]

    def add(self, event: TokenEvent) -> None:
        self._steps[event.index].append(_Step(event.batch_size, event.wait_s, event.step_s))

    @property
    def batch_sizes(self) -> list[int]:
        return [step.batch_size for step in chain(*self._steps)]

    @property
    def waits_us(self) -> list[int]:
        return [round(step.wait_s * 1e6) for step in chain(*self._steps)]

    @property
    def prefill_ms(self) -> int:
        """The time of the first token, which all answers have from the same computation of the prompt."""
        return round(self._steps[0][0].step_s * 1e3)

    @property
    def decodes_ms(self) -> list[int]:
        """The times of all tokens but each answer's first."""
        return [round(step.step_s * 1e3) for steps in self._steps for step in steps[1:]]
