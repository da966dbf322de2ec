"""Replies of a model to held-out dialogues, greedy or drawn under a grammar, counted by kind."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import torch
from PIL import Image
from torch import Tensor
from transformers import (
    AutoModelForCausalLM,
    AutoModelForImageTextToText,
    AutoProcessor,
    LogitsProcessor,
    LogitsProcessorList,
)
from typing_extensions import override

from engine.grammar.compiler import GrammarCompiler
from engine.grammar.matcher import GrammarMatcher
from engine.native.bfloat16 import has_fast_bfloat16
from engine.port.request import Grammar, GrammarKind
from engine.port.text.tokenizer import Tokenizer
from engine.sampling.logits.grammar_mask import apply_grammar
from handlers.chat.structured_output.response_format import tag_grammar
from handlers.chat.structured_output.structural_tag import const, json_value, sequence
from tools.demo_model.dialogue import Dialogue, Json, parts_of
from tools.demo_model.evaluation.trials import (
    KINDS,
    SEED,
    Trial,
    has_ended,
    has_stray_call,
    is_right,
    trials,
    trials_after_tool,
)
from tools.demo_model.scribe import Scribe, Split
from tools.demo_model.skills.forcing import ANY_OBJECT, forced_call, forced_form
from tools.demo_model.tokenizer import END_OF_TEXT, END_OF_TURN

_MAX_NEW_TOKENS: Final = 160


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
"""The tokens by which an answer has to end."""

FORCED: Final[dict[str, Callable[[Scribe], Dialogue]]] = {
    "forced form": forced_form,
    "forced call": forced_call,
}
_ARGUMENTS: Final = '"arguments": '
_TYPES: Final = {bool: "boolean", int: "integer", float: "number", type(None): "null", str: "string"}


class _Masking(LogitsProcessor):
    """The mask of each row's grammar, which follows the tokens after the prompts."""

    def __init__(self, matchers: Sequence[GrammarMatcher], num_given: int) -> None:
        self._matchers = matchers
        self._num_read = num_given

    @override
    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        for row, matcher in enumerate(self._matchers):
            if input_ids.shape[1] > self._num_read and not matcher.is_complete:
                matcher.accept(int(input_ids[row, -1]))
            apply_grammar(scores[row], matcher)
        self._num_read = input_ids.shape[1]
        return scores


def forced_trials(kind: str, num_draws: int) -> list[Trial]:
    """Return prompts up to the last question, with the answer as the expected one."""
    scribe = Scribe(SEED + sum(kind.encode()), Split.UNSEEN)
    out = []
    for _ in range(num_draws):
        talk = FORCED[kind](scribe)
        *messages, _ = talk.without_thoughts().messages()
        out.append(Trial(messages, talk, talk.rounds[-1], thinking=False))
    return out


def num_ended(examinee: Examinee, trials: Sequence[Trial], failures: bool) -> int:
    """Draw an answer to each trial, at temperature 1, and return how many end within NUM_TOKENS.

    A call is given up to its arguments, whose tokens count. failures: whether to print those that go on.
    """
    tokenizer = examinee.tokenizer
    config, settings = examinee.model.config, examinee.model.generation_config
    compiler = GrammarCompiler(
        Tokenizer.from_directory(
            Path(tokenizer.name_or_path),
            vocab_size=config.vocab_size,
            end_token_ids=tuple(settings.eos_token_id),
        )
    )
    parts = [_parts(trial) for trial in trials]
    texts = [f"{examinee.prompt(trial)}{begun}" for trial, (begun, _) in zip(trials, parts, strict=True)]
    prompts = tokenizer(texts, padding=True, padding_side="left", return_tensors="pt")
    matchers = [compiler.compile(grammar).start() for _, grammar in parts]
    num_given = prompts["input_ids"].shape[1]
    torch.manual_seed(0)
    with torch.inference_mode():
        output = examinee.model.generate(
            **prompts,
            max_new_tokens=NUM_TOKENS,
            do_sample=True,
            temperature=1.0,
            top_k=0,
            logits_processor=LogitsProcessorList([_Masking(matchers, num_given)]),
        )
    num_right = 0
    for trial, (begun, _), row in zip(trials, parts, output[:, num_given:], strict=True):
        (text,) = tokenizer.batch_decode([row[: NUM_TOKENS - len(tokenizer(begun)["input_ids"])]])
        is_ended = END_OF_TURN in text or END_OF_TEXT in text
        num_right += is_ended
        if failures and not is_ended:
            print(f"[forced] {trial.messages[-1]['content']!r} -> {begun + text!r}", flush=True)
    return num_right


def _parts(trial: Trial) -> tuple[str, Grammar]:
    """Return how the answer begins, and the grammar of its rest."""
    answer = "".join(parts_of(trial.expected.answer))
    if trial.dialogue.tools:
        begun, _, rest = answer.partition(_ARGUMENTS)
        arguments, end = json.JSONDecoder().raw_decode(rest)
        tag = sequence(json_value(_schema_of(arguments)), const(rest[end:]))
        return begun + _ARGUMENTS, tag_grammar(tag)
    if trial.dialogue.skill == ANY_OBJECT:
        return "", Grammar(GrammarKind.JSON_OBJECT)
    return "", Grammar(GrammarKind.JSON_SCHEMA, json.dumps(_schema_of(json.loads(answer))))


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


_BATCH: Final = 60
_NUM_DRAWS: Final = 400  # of each kind of forced answer
THOUGHT_KINDS: Final = (
    *("greeting", "fact", "out of its world", "JSON", "tool call", "no call needed"),
    *("no tools at all", "no tools, several turns", "tools for something else"),
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
