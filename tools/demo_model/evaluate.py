"""Greedy replies to dialogues of held-out names and wordings, counted by kind."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerBase

from tools.demo_model.dialogue import Dialogue, Message, Round
from tools.demo_model.scribe import Scribe, Split
from tools.demo_model.skills.echo import repeat
from tools.demo_model.skills.extraction import extraction
from tools.demo_model.skills.facts import fact
from tools.demo_model.skills.identity import identity, who_are_you
from tools.demo_model.skills.memory import memory
from tools.demo_model.skills.numbers import addition
from tools.demo_model.skills.smalltalk import greeting, greeting_by_name, small_talk
from tools.demo_model.skills.tools.calling import calling, not_calling
from tools.demo_model.skills.unknown import unknown
from tools.demo_model.tokenizer import END_OF_TEXT, END_OF_TURN

_SEED: Final = 1_000_003
_MAX_NEW_TOKENS: Final = 160
_BATCH: Final = 32


@dataclass(frozen=True)
class Trial:
    """A prompt, what the reply should be, and whether the model is to think first."""

    messages: list[Message]
    dialogue: Dialogue
    expected: Round
    thinking: bool
    after_tool: bool = False


@dataclass(frozen=True)
class Score:
    """How many of the trials of one kind went right."""

    kind: str
    num_right: int
    num_trials: int


def _one(skill: Callable[[Scribe], Round]) -> Callable[[Scribe], Dialogue]:
    return lambda scribe: Dialogue(skill.__name__, (skill(scribe),))


_KINDS: Final[dict[str, Callable[[Scribe], Dialogue]]] = {
    "greeting": _one(greeting),
    "greeting by name": _one(greeting_by_name),
    "small talk": _one(small_talk),
    "who are you": _one(who_are_you),
    "identity": _one(identity),
    "fact": _one(fact),
    "addition": _one(addition),
    "out of its world": _one(unknown),
    "repeat": _one(repeat),
    "JSON": _one(extraction),
    "memory": lambda scribe: Dialogue("memory", memory(scribe)),
    "tool call": calling,
    "no call needed": not_calling,
}


def _trials(kind: str, count: int, thinking: bool) -> list[Trial]:
    scribe = Scribe(_SEED + sum(kind.encode()), Split.UNSEEN)
    trials = []
    for _ in range(count):
        talk = _KINDS[kind](scribe)
        *earlier, last = talk.rounds
        before = Dialogue(
            talk.skill, tuple(r.without_thought() for r in earlier), talk.system, talk.tools
        ).messages()
        trials.append(Trial([*before, {"role": "user", "content": last.user}], talk, last, thinking))
    return trials


def _after_tool(count: int) -> list[Trial]:
    scribe = Scribe(_SEED, Split.UNSEEN)
    trials = []
    for _ in range(count):
        talk = calling(scribe)
        plain = Dialogue(talk.skill, tuple(r.without_thought() for r in talk.rounds), talk.system, talk.tools)
        trials.append(Trial(plain.messages()[:-1], talk, talk.rounds[-1], thinking=False, after_tool=True))
    return trials


class Examinee:
    """A loaded model that continues prompts greedily."""

    def __init__(self, directory: Path) -> None:
        self.tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(directory)
        self.model = AutoModelForCausalLM.from_pretrained(directory, dtype=torch.bfloat16)

    def _prompt(self, trial: Trial) -> str:
        text = self.tokenizer.apply_chat_template(
            cast(list[dict[str, str]], trial.messages),  # typed for plain messages, though it takes calls
            tools=list(trial.dialogue.tools) or None,
            add_generation_prompt=True,
            enable_thinking=trial.thinking,
            tokenize=False,
        )
        assert isinstance(text, str)
        return text

    def replies(self, trials: Sequence[Trial]) -> list[str]:
        """The raw continuations, each with its end-of-turn marker if that came."""
        prompts = self.tokenizer(
            [self._prompt(trial) for trial in trials], padding=True, padding_side="left", return_tensors="pt"
        )
        with torch.inference_mode():
            output = self.model.generate(**prompts, max_new_tokens=_MAX_NEW_TOKENS, do_sample=False)
        texts = self.tokenizer.batch_decode(output[:, prompts["input_ids"].shape[1] :])
        return [text.replace(END_OF_TEXT, "") for text in texts]


def _is_thought(text: str) -> bool:
    """Whether a reply opens with one well-formed, non-empty think block."""
    opened, closed, _ = text.partition("</think>\n\n")
    return opened.startswith("<think>\n") and bool(closed) and len(opened.strip()) > len("<think>\n")


def _calls_of(text: str) -> list[tuple[str, object]] | None:
    """The calls in a reply in order, or None where one is not well formed."""
    calls: list[tuple[str, object]] = []
    for part in text.split("<tool_call>\n")[1:]:
        body, closed, _ = part.partition("\n</tool_call>")
        try:
            call = json.loads(body)
            calls.append((call["name"], call["arguments"]))
        except (ValueError, KeyError, TypeError):
            return None
        if not closed:
            return None
    return calls


def is_right(trial: Trial, reply: str) -> bool:
    """Ends with the end-of-turn marker, thinks exactly when told to, calls or says what it should."""
    if not reply.endswith(END_OF_TURN) or _is_thought(reply) != trial.thinking:
        return False
    text = reply.rpartition("</think>\n\n")[2].removesuffix(END_OF_TURN)
    if trial.expected.calls and not trial.after_tool:
        return _calls_of(text) == [(call.name, dict(call.arguments)) for call in trial.expected.calls]
    said = text.lower()
    wanted = [word in said for word in trial.expected.accept]
    return "<tool_call>" not in text and (all(wanted) if trial.after_tool else any(wanted))


def _score(examinee: Examinee, kind: str, trials: Sequence[Trial], failures: bool) -> Score:
    replies = [reply for some in _chunks(trials) for reply in examinee.replies(some)]
    right = [is_right(trial, reply) for trial, reply in zip(trials, replies, strict=True)]
    for trial, reply, good in zip(trials, replies, right, strict=True):
        if failures and not good:
            print(f"[{kind}] {trial.messages[-1]['content']!r} -> {reply!r}", flush=True)
    return Score(kind, sum(right), len(trials))


def _chunks(trials: Sequence[Trial]) -> Iterator[Sequence[Trial]]:
    return (trials[start : start + _BATCH] for start in range(0, len(trials), _BATCH))


def evaluate(directory: Path, num_prompts: int, failures: bool) -> list[Score]:
    """Score every kind with thinking off, the main ones with thinking on, and the answers to tool results."""
    examinee = Examinee(directory)
    scores = [_score(examinee, kind, _trials(kind, num_prompts, False), failures) for kind in _KINDS]
    scores.append(_score(examinee, "after the tool", _after_tool(num_prompts), failures))
    for kind in ("greeting", "fact", "JSON", "tool call"):
        scores.append(_score(examinee, f"{kind}, thinking", _trials(kind, num_prompts, True), failures))
    return scores


def table(scores: list[Score]) -> str:
    """The scores as a Markdown table."""
    rows = [
        f"| {s.kind} | {s.num_right} of {s.num_trials} | {s.num_right / s.num_trials:.0%} |" for s in scores
    ]
    return "\n".join(["| kind | right | share |", "| --- | --- | --- |", *rows])
