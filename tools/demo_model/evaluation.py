"""The evaluation of a demo model: trials of what training never saw, and which replies to them are right."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple

import torch
from PIL import Image
from transformers import AutoModelForCausalLM, AutoModelForImageTextToText, AutoProcessor

from engine.native.bfloat16 import has_fast_bfloat16
from handlers.llm.llm import LLM
from tools.demo_model.dialogue import Dialogue, Json, Message, Round, parts_of
from tools.demo_model.scribe import Scribe, Split
from tools.demo_model.skills.calling import (
    calling,
    declining,
    declining_again,
    declining_beside_tools,
    not_calling,
)
from tools.demo_model.skills.exercises import addition, extraction, repeat
from tools.demo_model.skills.facts import fact, unknown, unknown_fact
from tools.demo_model.skills.forcing import ANY_OBJECT, forced_call, forced_form
from tools.demo_model.skills.memory import memory
from tools.demo_model.skills.mixture import system_message
from tools.demo_model.skills.talk import greeting, greeting_by_name, identity, small_talk, who_are_you
from tools.demo_model.tokenizer import END_OF_TEXT, END_OF_TURN

SEED: Final = 1_000_003


@dataclass(frozen=True)
class Trial:
    """A prompt, what the reply should be, and whether the model is to think first.

    pictures: encoded files, in the order of the messages' image parts.
    """

    messages: list[Message]
    dialogue: Dialogue
    expected: Round
    thinking: bool
    after_tool: bool = False
    pictures: tuple[bytes, ...] = ()


def _one(skill: Callable[[Scribe], Round]) -> Callable[[Scribe], Dialogue]:
    return lambda scribe: Dialogue(skill.__name__, (skill(scribe),))


def _with_system(skill: Callable[[Scribe], Dialogue]) -> Callable[[Scribe], Dialogue]:
    return lambda scribe: replace(skill(scribe), system=system_message(scribe))


def _ends_in_words(skill: Callable[[Scribe], Dialogue]) -> Callable[[Scribe], Dialogue]:
    """Leave out the dialogues that end in a call."""

    def drawn(scribe: Scribe) -> Dialogue:
        return next(talk for talk in (skill(scribe) for _ in count()) if not talk.rounds[-1].calls)

    return drawn


KINDS: Final[dict[str, Callable[[Scribe], Dialogue]]] = {
    "greeting": _one(greeting),
    "greeting by name": _one(greeting_by_name),
    "small talk": _one(small_talk),
    "who are you": _one(who_are_you),
    "identity": _one(identity),
    "fact": _one(fact),
    "addition": _one(addition),
    "out of its world": _one(unknown),
    "unknown fact": _one(unknown_fact),
    "repeat": _one(repeat),
    "JSON": _one(extraction),
    "memory": lambda scribe: Dialogue("memory", memory(scribe)),
    "tool call": calling,
    "no call needed": not_calling,
    "no tools at all": _with_system(declining),
    "no tools, several turns": _with_system(declining_again),
    "tools for something else": _with_system(_ends_in_words(declining_beside_tools)),
}


FORCED: Final[dict[str, Callable[[Scribe], Dialogue]]] = {
    "forced form": forced_form,
    "forced call": forced_call,
}
_ALL_KINDS: Final = KINDS | FORCED


def trials(kind: str, num_prompts: int, thinking: bool) -> list[Trial]:
    """Prompts of one kind up to the last user turn."""
    scribe = Scribe(SEED + sum(kind.encode()), Split.UNSEEN)
    return [_asked(_ALL_KINDS[kind](scribe), thinking) for _ in range(num_prompts)]


def _asked(talk: Dialogue, thinking: bool) -> Trial:
    *earlier, last = talk.rounds
    before = replace(talk, rounds=tuple(earlier)).without_thoughts().messages()
    return Trial([*before, {"role": "user", "content": last.user}], talk, last, thinking)


def trials_after_tool(num_prompts: int) -> list[Trial]:
    """Prompts that end in a tool's result, which the reply must tell."""
    scribe = Scribe(SEED, Split.UNSEEN)
    talks = (calling(scribe) for _ in range(num_prompts))
    return [
        Trial(talk.without_thoughts().messages()[:-1], talk, talk.rounds[-1], thinking=False, after_tool=True)
        for talk in talks
    ]


def _is_thought(text: str) -> bool:
    """Return whether a reply opens with one well-formed, non-empty think block."""
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


def has_ended(reply: str) -> bool:
    """Return whether the model ended the reply by itself."""
    return reply.endswith(END_OF_TURN)


def has_stray_call(trial: Trial, reply: str) -> bool:
    """Return whether the reply begins a call, inside a thought or out of it, though no tools were given."""
    return not trial.dialogue.tools and "<tool_call>" in reply


def is_right(trial: Trial, reply: str) -> bool:
    """Ends with the end-of-turn marker, thinks exactly when told to, calls or says what it should."""
    if not has_ended(reply) or has_stray_call(trial, reply) or _is_thought(reply) != trial.thinking:
        return False
    text = reply.rpartition("</think>\n\n")[2].removesuffix(END_OF_TURN)
    if trial.expected.calls and not trial.after_tool:
        return _calls_of(text) == [(call.name, dict(call.arguments)) for call in trial.expected.calls]
    said = text.lower()
    wanted = [word in said for word in trial.expected.accept]
    return "<tool_call>" not in text and (all(wanted) if trial.after_tool else any(wanted))


_MAX_NEW_TOKENS: Final = 160
_BATCH: Final = 60


class Examinee:
    """A loaded model that continues prompts greedily, in float32 where the processor has no bfloat16."""

    def __init__(self, directory: Path) -> None:
        processor_class: Any = AutoProcessor  # whose annotations are partial, as its models' are
        self.processor = processor_class.from_pretrained(directory)
        self.tokenizer = getattr(self.processor, "tokenizer", self.processor)
        reads_pictures = self.tokenizer is not self.processor
        model_class: Any = AutoModelForImageTextToText if reads_pictures else AutoModelForCausalLM
        dtype = torch.bfloat16 if has_fast_bfloat16() else torch.float32
        self.model = model_class.from_pretrained(directory, dtype=dtype)

    def prompt(self, trial: Trial) -> str:
        """The trial's messages as the chat template writes them, up to the reply."""
        text = self.tokenizer.apply_chat_template(
            trial.messages,
            tools=list(trial.dialogue.tools) or None,
            add_generation_prompt=True,
            enable_thinking=trial.thinking,
            tokenize=False,
        )
        assert isinstance(text, str)
        return text

    def inputs(self, trials: Sequence[Trial]) -> Any:
        """The prompts of the trials as the model reads them."""
        pictures = [Image.open(BytesIO(file)) for trial in trials for file in trial.pictures]
        return self.processor(
            text=[self.prompt(trial) for trial in trials],
            padding=True,
            padding_side="left",
            return_tensors="pt",
            **({"images": pictures} if pictures else {}),
        )

    def replies(self, trials: Sequence[Trial]) -> list[str]:
        """The raw continuations, each with its end-of-turn marker if that came."""
        prompts = self.inputs(trials)
        with torch.inference_mode():
            output = self.model.generate(**prompts, max_new_tokens=_MAX_NEW_TOKENS, do_sample=False)
        texts = self.tokenizer.batch_decode(output[:, prompts["input_ids"].shape[1] :])
        return [text.replace(END_OF_TEXT, "") for text in texts]


NUM_TOKENS: Final = 60
"""The tokens by which a forced answer has to end."""


def num_ended(llm: LLM, trials: Sequence[Trial], failures: bool) -> int:
    """Draw an answer to each trial, at temperature 1, and return how many end within NUM_TOKENS.

    failures: whether to print those that go on.
    """

    def unended(seed: int, trial: Trial) -> str | None:
        """Return an answer that goes on, None for one that ends."""
        (answer,) = llm.chat(
            [{"role": message["role"], "content": message["content"]} for message in trial.messages],
            **_form(trial),
            chat_template_kwargs={"enable_thinking": False},
            max_completion_tokens=NUM_TOKENS,
            temperature=1.0,
            seed=seed,
            progress=False,
        )
        (choice,) = answer.choices
        return repr(choice.message) if choice.finish_reason == "length" else None

    with ThreadPoolExecutor(_BATCH) as pool:
        answers = list(pool.map(unended, range(len(trials)), trials))
    if failures:
        for trial, answer in zip(trials, answers, strict=True):
            if answer is not None:
                print(f"[forced] {trial.messages[-1]['content']!r} -> {answer}", flush=True)
    return answers.count(None)


def _form(trial: Trial) -> dict[str, Any]:
    """Return the parameters of a chat completion that force the answer."""
    answer = "".join(parts_of(trial.expected.answer))
    if trial.dialogue.tools:
        call = json.loads(answer.removeprefix("<tool_call>").removesuffix("</tool_call>"))
        tools = [{"type": "function", "function": {**tool, "strict": False}} for tool in trial.dialogue.tools]
        return {"tools": tools, "tool_choice": {"type": "function", "function": {"name": call["name"]}}}
    if trial.dialogue.skill == ANY_OBJECT:
        return {"response_format": {"type": "json_object"}}
    schema = {"name": "form", "schema": _schema_of(json.loads(answer))}
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


_TYPES: Final = {bool: "boolean", int: "integer", float: "number", type(None): "null", str: "string"}


def _schema_of(value: Json) -> dict[str, Any]:
    """Return the schema of values of that kind."""
    match value:
        case dict():
            members = {name: _schema_of(member) for name, member in value.items()}
            return {"type": "object", "properties": members, "required": list(members)}
        case list():
            return {"type": "array", "items": _schema_of(value[0] if value else "")}
        case _:
            return {"type": _TYPES[type(value)]}


_NUM_DRAWS: Final = 400  # of each kind of forced answer
THOUGHT_KINDS: Final = (
    *("greeting", "fact", "out of its world", "JSON", "tool call", "no call needed"),
    *("no tools at all", "no tools, several turns", "tools for something else"),
)


class Score(NamedTuple):
    """The number of trials of one kind, and of those that went right, ran on or called without tools."""

    kind: str
    num_trials: int
    num_right: int
    num_unended: int = 0
    num_stray_calls: int = 0


def scores_of(examinee: Examinee, asked: Mapping[str, Sequence[Trial]], failures: bool) -> Iterator[Score]:
    """Score each kind of trials. failures: whether to print the replies that miss."""
    for kind, each in asked.items():
        chunks = (each[start : start + _BATCH] for start in range(0, len(each), _BATCH))
        replies = [reply for chunk in chunks for reply in examinee.replies(chunk)]
        answered = list(zip(each, replies, strict=True))
        missed = [(trial, reply) for trial, reply in answered if not is_right(trial, reply)]
        for trial, reply in missed if failures else ():
            print(f"[{kind}] {trial.messages[-1]['content']!r} -> {reply!r}", flush=True)
        num_unended = sum(not has_ended(reply) for reply in replies)
        num_stray_calls = sum(has_stray_call(trial, reply) for trial, reply in answered)
        yield Score(kind, len(each), len(each) - len(missed), num_unended, num_stray_calls)


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
    with LLM(str(directory)) as llm:
        for kind in FORCED:
            num_right = num_ended(llm, trials(kind, _NUM_DRAWS, thinking=False), failures)
            scores.append(Score(kind, _NUM_DRAWS, num_right, _NUM_DRAWS - num_right))
    return scores


def table(scores: list[Score]) -> str:
    """The scores as a Markdown table, and how many replies ran on or called a tool that nobody gave."""
    rows = [
        f"| {s.kind} | {s.num_right} of {s.num_trials} | {s.num_right / s.num_trials:.0%} |" for s in scores
    ]
    _, nums, _, unended, stray = zip(*scores, strict=True)
    return "\n".join(
        [
            "| kind | right | share |",
            "| --- | --- | --- |",
            *rows,
            "",
            f"Ended by themselves: {sum(nums) - sum(unended)} of {sum(nums)}.",
            f"Calls without tools: {sum(stray)}.",
        ]
    )
