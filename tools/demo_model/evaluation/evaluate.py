"""Greedy replies to held-out dialogues and draws of forced ones, counted by kind."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tools.demo_model.evaluation.examinee import Examinee
from tools.demo_model.evaluation.forced import FORCED, forced_trials, num_ended
from tools.demo_model.evaluation.trials import (
    KINDS,
    Trial,
    has_ended,
    has_stray_call,
    is_right,
    trials,
    trials_after_tool,
)

_BATCH: Final = 60
_NUM_DRAWS: Final = 400  # of each kind of forced answer
THOUGHT_KINDS: Final = (
    "greeting",
    "fact",
    "out of its world",
    "JSON",
    "tool call",
    "no call needed",
    "no tools at all",
    "no tools, several turns",
    "tools for something else",
)


@dataclass(frozen=True)
class Score:
    """The number of trials of one kind, and of those that went right, ran on or called without tools."""

    kind: str
    num_right: int
    num_trials: int
    num_unended: int
    num_without_tools: int
    num_stray_calls: int


def scores_of(examinee: Examinee, asked: Mapping[str, Sequence[Trial]], failures: bool) -> Iterator[Score]:
    """Score each kind of trials. failures: whether to print the replies that miss."""
    for kind, each in asked.items():
        replies = [reply for some in _chunks(each) for reply in examinee.replies(some)]
        answered = list(zip(each, replies, strict=True))
        missed = [(trial, reply) for trial, reply in answered if not is_right(trial, reply)]
        if failures:
            for trial, reply in missed:
                print(f"[{kind}] {trial.messages[-1]['content']!r} -> {reply!r}", flush=True)
        yield Score(
            kind,
            len(each) - len(missed),
            len(each),
            sum(not has_ended(reply) for reply in replies),
            sum(not trial.dialogue.tools for trial in each),
            sum(has_stray_call(trial, reply) for trial, reply in answered),
        )


def _chunks(asked: Sequence[Trial]) -> Iterator[Sequence[Trial]]:
    return (asked[start : start + _BATCH] for start in range(0, len(asked), _BATCH))


def evaluate(directory: Path, num_prompts: int, num_calls: int, failures: bool) -> list[Score]:
    """Score every kind with thinking off, the main ones with thinking on, answers to tools' results and what
    is forced.

    Kinds have `num_prompts` trials each, but tool calls `num_calls`.
    """
    examinee = Examinee(directory)
    numbers = {kind: num_calls if kind == "tool call" else num_prompts for kind in KINDS}
    asked = {kind: trials(kind, number, thinking=False) for kind, number in numbers.items()}
    asked["after the tool"] = trials_after_tool(num_prompts)
    for kind in THOUGHT_KINDS:
        asked[f"{kind}, thinking"] = trials(kind, numbers[kind], thinking=True)
    scores = list(scores_of(examinee, asked, failures))
    for kind in FORCED:
        draws = forced_trials(kind, _NUM_DRAWS)
        num_right = sum(num_ended(examinee, some, failures) for some in _chunks(draws))
        scores.append(Score(kind, num_right, len(draws), len(draws) - num_right, 0, 0))
    return scores


def table(scores: list[Score]) -> str:
    """The scores as a Markdown table, and how many replies ran on or called a tool that nobody gave."""
    rows = [
        f"| {s.kind} | {s.num_right} of {s.num_trials} | {s.num_right / s.num_trials:.0%} |" for s in scores
    ]
    num_trials = sum(s.num_trials for s in scores)
    num_ended = num_trials - sum(s.num_unended for s in scores)
    num_stray_calls = sum(s.num_stray_calls for s in scores)
    num_without_tools = sum(s.num_without_tools for s in scores)
    return "\n".join(
        [
            "| kind | right | share |",
            "| --- | --- | --- |",
            *rows,
            "",
            f"Ended by themselves: {num_ended} of {num_trials}. "
            f"Calls without tools: {num_stray_calls} in {num_without_tools}.",
        ]
    )
