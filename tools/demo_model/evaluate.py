"""Greedy replies to held-out dialogues, counted by kind."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tools.demo_model.examinee import Examinee
from tools.demo_model.judge import is_right
from tools.demo_model.trials import KINDS, Trial, trials, trials_after_tool

_BATCH: Final = 32


@dataclass(frozen=True)
class Score:
    """The number of trials of one kind, and of those that went right."""

    kind: str
    num_right: int
    num_trials: int


def _score(examinee: Examinee, kind: str, asked: Sequence[Trial], failures: bool) -> Score:
    replies = [reply for some in _chunks(asked) for reply in examinee.replies(some)]
    right = [is_right(trial, reply) for trial, reply in zip(asked, replies, strict=True)]
    for trial, reply, good in zip(asked, replies, right, strict=True):
        if failures and not good:
            print(f"[{kind}] {trial.messages[-1]['content']!r} -> {reply!r}", flush=True)
    return Score(kind, sum(right), len(asked))


def _chunks(asked: Sequence[Trial]) -> Iterator[Sequence[Trial]]:
    return (asked[start : start + _BATCH] for start in range(0, len(asked), _BATCH))


def evaluate(directory: Path, num_prompts: int, failures: bool) -> list[Score]:
    """Score every kind with thinking off, the main ones with thinking on, and the answers to tool results."""
    examinee = Examinee(directory)
    scores = [_score(examinee, kind, trials(kind, num_prompts, False), failures) for kind in KINDS]
    scores.append(_score(examinee, "after the tool", trials_after_tool(num_prompts), failures))
    for kind in ("greeting", "fact", "JSON", "tool call"):
        scores.append(_score(examinee, f"{kind}, thinking", trials(kind, num_prompts, True), failures))
    return scores


def table(scores: list[Score]) -> str:
    """The scores as a Markdown table."""
    rows = [
        f"| {s.kind} | {s.num_right} of {s.num_trials} | {s.num_right / s.num_trials:.0%} |" for s in scores
    ]
    return "\n".join(["| kind | right | share |", "| --- | --- | --- |", *rows])
