"""Decoding with drafts from the text so far beside decoding without, for one request and for several.

The weights are random, so the texts are forced: whatever the logits of a position are, its text's next token
wins. What is computed, drafted and refused is what a model that writes these texts would compute, draft and
refuse.
"""

import argparse
import re
import tempfile
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple

import torch
from torch import Tensor
from typing_extensions import override

from engine.attention.batch import Batch
from engine.build import EngineParts, build_parts
from engine.config import EngineConfig
from engine.core.core import EngineCore
from engine.core.runner import Runner
from engine.events import TokenEvent
from engine.request import GenerationRequest, Prompt, SamplingParams, StopConditions
from engine.speculation.ngram_proposer import NgramProposer
from engine.speculation.speculator import Speculator
from tools.bench.engine.wrapped_runner import WrappedRunner
from tools.bench.random_model import write_model
from tools.bench.table import Row, print_table

ROOT = Path(__file__).parents[3]
_MOST_TOKENS = 300  # of an output


class Text(NamedTuple):
    """A prompt and the output that is forced, as words."""

    name: str
    prompt: list[str]
    output: list[str]


def texts() -> Iterator[Text]:
    """Yield texts that repeat their prompt, and some that do not."""
    code = _words((ROOT / "engine/scheduling/token_budget.py").read_text(encoding="utf-8"))
    renamed = ["allowance" if word.strip() == "budget" else word for word in code]
    yield Text("code with a name changed", code, renamed)
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")[:6000]
    sentences = [_words(sentence) for sentence in re.split(r"(?<=[.:])\s", page)]
    phrases = [
        [*sentence[2:10], f" so{number}"] for number, sentence in enumerate(sentences) if len(sentence) > 12
    ]
    yield Text("quotations of eight words", _words(page), list(chain.from_iterable(phrases)))
    license_text = _words((ROOT / "LICENSE").read_text(encoding="utf-8"))
    yield Text("prose unlike its prompt", code, license_text)
    random = Random(0)
    yield Text("random words", code, [f"w{random.randrange(2000)}" for _ in range(_MOST_TOKENS)])


def _words(text: str) -> list[str]:
    """Return the parts that tokenizers of large vocabularies mostly have as one token."""
    return re.findall(r"\s?\w+|\s+|[^\w\s]+", text)


class ForcingRunner(WrappedRunner):
    """Runs a model, and lets the next token of each forced sequence win."""

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
    print(f"{arguments.shape}'s shape, random bfloat16 weights, greedy; tokens/s without and with drafts")
    with tempfile.TemporaryDirectory() as directory:
        write_model(Path(directory), arguments.shape)
        config = EngineConfig(
            model=directory, dtype=arguments.dtype, kv_cache_bytes=2**29, prefix_caching=False
        )
        parts = build_parts(config, lambda line: None)
        rows = [_row(parts, text, number, arguments) for text in texts() for number in arguments.sequences]
    print_table(rows)
    return rows


def _row(parts: EngineParts, text: Text, number: int, arguments: argparse.Namespace) -> Row:
    """Measure by turns. The ratio is that of processor times, which other processes disturb least."""
    plain: list[Decoded] = []
    drafted: list[Decoded] = []
    for _ in range(arguments.rounds):
        plain.append(_decode(parts, None, text, number))
        drafted.append(_decode(parts, arguments.draft, text, number))
    num_drafted = sum(one.num_drafted for one in drafted)
    num_accepted = sum(one.num_accepted for one in drafted)
    return {
        "text": text.name,
        "sequences": number,
        "plain": median(one.rate for one in plain),
        "drafted": median(one.rate for one in drafted),
        "ratio": median(one.rate for one in drafted) / median(one.rate for one in plain),
        "accepted": num_accepted / num_drafted if num_drafted else 0.0,
        "tokens_a_step": median(one.tokens_a_step for one in drafted),
    }


class Decoded(NamedTuple):
    """rate: tokens per second of processor time over the number of threads. tokens_a_step: of one
    sequence."""

    rate: float
    num_drafted: int
    num_accepted: int
    tokens_a_step: float


def _decode(parts: EngineParts, max_draft_tokens: int | None, text: Text, number: int) -> Decoded:
    runner = ForcingRunner(parts.runner)
    speculator = Speculator(NgramProposer(), max_draft_tokens) if max_draft_tokens else None
    core = parts.core(runner, speculator)
    ids = {word: 300 + place for place, word in enumerate(dict.fromkeys(text.prompt + text.output))}
    prompt, output = ([ids[word] for word in words] for words in (text.prompt, text.output))
    output = output[:_MOST_TOKENS]
    for arrival in range(number):
        runner.forced[arrival] = prompt + output
        core.add(arrival, _request(tuple(prompt), len(output)))
    while core.counters.num_generated_tokens < number:
        core.step()
    num_steps, started = core.counters.num_steps, time.process_time()
    num_tokens = _run_to_end(core)
    seconds = (time.process_time() - started) / torch.get_num_threads()
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
    parser.add_argument("--shape", default="Qwen2.5-0.5B", help="small for a check of a minute")
    parser.add_argument("--dtype", default="auto")
    parser.add_argument("--draft", type=int, default=8, help="the most tokens of a draft")
    parser.add_argument("--sequences", type=int, nargs="+", default=[1, 4], help="requests at the same time")
    parser.add_argument("--rounds", type=int, default=3)
