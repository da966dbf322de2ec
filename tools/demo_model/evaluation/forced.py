"""Draws under a grammar: forms and calls that do not fit the question, and whether they end soon."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor
from transformers import LogitsProcessor, LogitsProcessorList
from typing_extensions import override

from engine.grammar.compiler import GrammarCompiler
from engine.grammar.matcher import GrammarMatcher
from engine.port.request import Grammar, GrammarKind
from engine.port.text.tokenizer import Tokenizer
from engine.sampling.logits.grammar_mask import apply_grammar
from tools.demo_model.dialogue import FORCED_FROM, FORCED_TO, Dialogue, Json
from tools.demo_model.evaluation.examinee import Examinee
from tools.demo_model.evaluation.trials import SEED, Trial
from tools.demo_model.scribe import Scribe, Split
from tools.demo_model.skills.forcing import ANY_OBJECT, forced_call, forced_form
from tools.demo_model.tokenizer import END_OF_TEXT, END_OF_TURN

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
    answer = trial.expected.answer
    plain = answer.replace(FORCED_FROM, "").replace(FORCED_TO, "")
    if trial.dialogue.tools:
        begun, _, rest = plain.partition(_ARGUMENTS)
        arguments, _ = json.JSONDecoder().raw_decode(rest)
        return begun + _ARGUMENTS, _grammar(_schema_of(arguments))
    if trial.dialogue.skill == ANY_OBJECT:
        return "", Grammar(GrammarKind.JSON_OBJECT, "")
    return "", _grammar(_schema_of(json.loads(plain)))


def _grammar(schema: object) -> Grammar:
    return Grammar(GrammarKind.JSON_SCHEMA, json.dumps(schema))


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
