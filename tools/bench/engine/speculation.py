"""Compare decoding with and without speculation (drafts from the text so far), for one and several requests.

The output texts are forced, since a model with random weights does not generate text: regardless of the
logits, the next token of the text is generated. So the same tokens are computed, drafted and rejected as with
a model that generates these texts. With --own-words, a chat model given by --model answers three questions
instead.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

import torch
from torch import Tensor
from transformers import AutoTokenizer
from typing_extensions import override

from engine.assembly.engine_parts import EngineParts
from engine.attention.batch import Batch
from engine.build import build_parts
from engine.config import QUANTIZATIONS, EngineConfig
from engine.core.core import EngineCore
from engine.core.runner import Runner
from engine.port.events import TokenEvent
from engine.port.request import GenerationRequest, Prompt, SamplingParams, StopConditions
from engine.speculation.ngram_proposer import NgramProposer
from engine.speculation.speculator import Speculator
from engine.speculation.step_costs import StepCosts
from tools.bench.engine.repeating_texts import chats, repeating_texts
from tools.bench.engine.wrapped_runner import WrappedRunner
from tools.bench.random_model import write_model
from tools.bench.table import Row, print_table

_NUM_FIRST_TOKENS = 32


class Case(NamedTuple):
    """The tokens of a prompt and of its forced output; None for the model's own output."""

    name: str
    prompt: list[int]
    output: list[int] | None


class ForcingRunner(WrappedRunner):
    """A runner that makes the next token of each forced sequence the most likely one."""

    def __init__(self, runner: Runner) -> None:
        super().__init__(runner)
        self.forced: dict[int, list[int]] = {}  # by arrival: prompt and output

    @override
    @torch.inference_mode()
    def run(self, batch: Batch, logit_rows: list[int]) -> Tensor:
        logits = super().run(batch, logit_rows)
        arrivals: dict[int, int] = {}  # by row
        for entry, span in zip(batch.entries, batch.spans, strict=True):
            rows = [*range(span.row, span.row + span.num_tokens), *batch.drafted.get(entry.sequence, ())]
            arrivals |= dict.fromkeys(rows, entry.sequence.arrival)
        positions = batch.positions.tolist()
        for place, row in enumerate(logit_rows):
            text = self.forced[arrivals[row]]
            if positions[row] + 1 < len(text):
                logits[place, text[positions[row] + 1]] = 1e6
        return logits


async def run(arguments: argparse.Namespace) -> list[Row]:
    name = arguments.model or f"{arguments.shape}'s shape with random weights"
    texts = "in its own words" if arguments.own_words else "with forced texts"
    kind = arguments.quantize or arguments.dtype
    print(f"{name}, {kind}, {texts}, greedy; tokens/s without and with drafts")
    with tempfile.TemporaryDirectory() as directory:
        if not arguments.model:
            write_model(Path(directory), arguments.shape)
        config = EngineConfig(
            model=arguments.model or directory,
            dtype=arguments.dtype,
            quantize=arguments.quantize,
            kv_cache_bytes=2**29,
        )
        parts = build_parts(config, lambda line: None)
        cases = [case for case in _cases(arguments) if not arguments.only or arguments.only in case.name]
        rows = [_row(parts, case, number, arguments) for case in cases for number in arguments.sequences]
    print_table(rows)
    return rows


def _cases(arguments: argparse.Namespace) -> Iterator[Case]:
    if arguments.own_words:
        tokenizer = AutoTokenizer.from_pretrained(arguments.model)
        for name, question in chats():
            message = {"role": "user", "content": question}
            text = tokenizer.apply_chat_template([message], tokenize=False, add_generation_prompt=True)
            yield Case(name, tokenizer.encode(text, add_special_tokens=False), None)
        return
    for name, prompt, output in repeating_texts():
        ids = {word: 300 + place for place, word in enumerate(dict.fromkeys(prompt + output))}
        yield Case(name, [ids[word] for word in prompt], [ids[word] for word in output])


def _row(parts: EngineParts, case: Case, number: int, arguments: argparse.Namespace) -> Row:
    """Measure with and without drafts by turns.

    A first turn, which is not counted, fills the prefix cache and lets the engine measure the cost of rows,
    like the earlier requests of a server.
    """
    costs = StepCosts()
    plain: list[Decoded] = []
    drafted: list[Decoded] = []
    _decode(parts, Speculator(NgramProposer(), arguments.draft, costs=costs), case, number, _NUM_FIRST_TOKENS)
    for turn in range(arguments.rounds):
        for drafts in (False, True) if turn % 2 == 0 else (True, False):
            speculator = Speculator(NgramProposer(), arguments.draft, costs=costs) if drafts else None
            decoded = _decode(parts, speculator, case, number, arguments.tokens)
            (drafted if drafts else plain).append(decoded)
    num_drafted = sum(one.num_drafted for one in drafted)
    num_accepted = sum(one.num_accepted for one in drafted)
    ratios = [one.rate / other.rate for one, other in zip(drafted, plain, strict=True)]
    return {
        "text": case.name,
        "requests": number,
        "plain": median(one.rate for one in plain),
        "drafted": median(one.rate for one in drafted),
        "ratio": median(ratios),
        "lowest": min(ratios),
        "accepted": num_accepted / num_drafted if num_drafted else 0.0,
        "tokens_a_step": median(one.tokens_a_step for one in drafted),
    }


class Decoded(NamedTuple):
    """A measurement. rate: tokens per second. tokens_a_step: tokens of one sequence in a step."""

    rate: float
    num_drafted: int
    num_accepted: int
    tokens_a_step: float


def _decode(
    parts: EngineParts, speculator: Speculator | None, case: Case, number: int, max_tokens: int
) -> Decoded:
    """Decode `number` requests in parallel. Each forced output begins at a different place in the text."""
    runner = ForcingRunner(parts.runner)
    core = parts.core(parts.runner if case.output is None else runner, speculator)
    for arrival in range(number):
        if case.output is not None:
            start = arrival * len(case.output) // number
            output = (case.output[start:] + case.output[:start])[:max_tokens]
            runner.forced[arrival] = case.prompt + output
        num_tokens = max_tokens if case.output is None else len(output)
        core.add(arrival, _request(tuple(case.prompt), num_tokens))
    while core.counters.num_generated_tokens < number:
        core.step()
    num_steps, started = core.counters.num_steps, time.perf_counter()
    num_tokens = _run_to_end(core)
    seconds = time.perf_counter() - started
    counters = core.counters
    return Decoded(
        num_tokens / seconds,
        counters.drafts.num_drafted_tokens,
        counters.drafts.num_accepted_tokens,
        num_tokens / number / (counters.num_steps - num_steps),
    )


def _run_to_end(core: EngineCore) -> int:
    num_tokens = 0
    while core.has_work:
        outputs = core.step()
        assert all(isinstance(event, TokenEvent) for _, event in outputs)
        num_tokens += len(outputs)
    return num_tokens


def _request(prompt: tuple[int, ...], max_tokens: int) -> GenerationRequest:
    return GenerationRequest(
        request_id="",
        prompt=Prompt(prompt),
        sampling=SamplingParams(temperature=0.0),
        stopping=StopConditions(max_tokens=max_tokens),
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--shape", default="Qwen2.5-0.5B", help="shape of the model; `small` takes a minute")
    parser.add_argument("--model", help="model directory, instead of random weights")
    parser.add_argument(
        "--own-words", action="store_true", help="use answers of --model instead of forced texts"
    )
    parser.add_argument("--dtype", default="auto")
    parser.add_argument("--quantize", choices=QUANTIZATIONS)
    parser.add_argument("--draft", type=int, default=8, help="maximum tokens of a draft")
    parser.add_argument("--only", help="only use texts with this in their name")
    parser.add_argument("--tokens", type=int, default=300, help="maximum tokens of an output")
    parser.add_argument(
        "--sequences", type=int, nargs="+", default=[1, 8, 32], help="numbers of concurrent requests"
    )
    parser.add_argument("--rounds", type=int, default=3)
