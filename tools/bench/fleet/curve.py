"""The step time of a simulated server, by the number of its running sequences."""

from bisect import bisect_left
from dataclasses import dataclass


@dataclass(frozen=True)
class Curve:
    """A speed curve. about: origin. prompt_token_s: seconds for a prompt token. steps: sequences, seconds."""

    about: str
    prompt_token_s: float
    steps: tuple[tuple[int, float], ...]

    def step_s(self, num_sequences: int) -> float:
        """Return the seconds of a step, by linear interpolation, and extrapolation after the last point."""
        sizes = [size for size, _ in self.steps]
        place = min(max(bisect_left(sizes, num_sequences), 1), len(sizes) - 1)
        (low, low_s), (high, high_s) = self.steps[place - 1 : place + 1]
        return low_s + (high_s - low_s) * (num_sequences - low) / (high - low)


CURVES = {
    "cpu": Curve(
        "measured: Qwen2.5-0.5B's shape in bfloat16 on two Zen 5 cores (docs/performance/step.md, pairs)",
        0.550 / 512,
        ((1, 0.0194), (8, 0.0212), (32, 0.0490)),
    ),
    "gpu": Curve(
        "assumed, not measured: 10 ms a step and 0.05 ms a sequence more, 20,000 tokens of prompts a second",
        1 / 20_000,
        ((1, 0.010), (256, 0.02275)),
    ),
}
