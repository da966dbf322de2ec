"""Greedy replies to held-out dialogues, counted by kind."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from transformers import AutoModelForCausalLM

from tools.demo_model.evaluation.examinee import Examinee
from tools.demo_model.evaluation.forced import FORCED, forced_trials, num_ended
from tools.demo_model.evaluation.judge import has_ended, has_stray_call, is_right
from tools.demo_model.evaluation.trials import KINDS, Trial, trials, trials_after_tool

_BATCH: Final = 60
_NUM_DRAWS: Final = 100  # of each kind of forced answer
AnyTrial = TypeVar("AnyTrial", bound=Trial)
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


def score(
    replies_to: Callable[[Sequence[AnyTrial]], list[str]],
    kind: str,
    asked: Sequence[AnyTrial],
    failures: bool,
) -> Score:
    """Return the score of one kind of trials. failures: whether to print the replies that miss."""
    replies = [reply for some in _chunks(asked) for reply in replies_to(some)]
    answered = list(zip(asked, replies, strict=True))
    missed = [(trial, reply) for trial, reply in answered if not is_right(trial, reply)]
    if failures:
        for trial, reply in missed:
            print(f"[{kind}] {trial.messages[-1]['content']!r} -> {reply!r}", flush=True)
    return Score(
        kind,
        len(asked) - len(missed),
        len(asked),
        sum(not has_ended(reply) for reply in replies),
        sum(not trial.dialogue.tools for trial in asked),
        sum(has_stray_call(trial, reply) for trial, reply in answered),
    )


def _chunks(asked: Sequence[AnyTrial]) -> Iterator[Sequence[AnyTrial]]:
    return (asked[start : start + _BATCH] for start in range(0, len(asked), _BATCH))


def _asked(kind: str, num_prompts: int, num_calls: int, thinking: bool) -> list[Trial]:
    return trials(kind, num_calls if kind == "tool call" else num_prompts, thinking)


def evaluate(
    directory: Path, num_prompts: int, num_calls: int, failures: bool, model_class: Any = AutoModelForCausalLM
) -> list[Score]:
    """Score every kind with thinking off, the main ones with thinking on, answers to tools' results and what
    is forced.

    Kinds have `num_prompts` trials each, but tool calls `num_calls`. model_class: transformers' class for the
    model, by which its text is asked for without pictures.
    """
    examinee = Examinee(directory, model_class)
    replies_to = examinee.replies
    scores = [
        score(replies_to, kind, _asked(kind, num_prompts, num_calls, False), failures) for kind in KINDS
    ]
    scores.append(score(replies_to, "after the tool", trials_after_tool(num_prompts), failures))
    for kind in THOUGHT_KINDS:
        asked = _asked(kind, num_prompts, num_calls, True)
        scores.append(score(replies_to, f"{kind}, thinking", asked, failures))
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
