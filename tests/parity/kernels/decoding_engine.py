"""A model whose layers are one call in steps that decode, and its sequences, for tests of such steps."""

from collections.abc import Callable, Iterable
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any

import pytest
from torch import Tensor
from transformers import PreTrainedModel

from engine.assembly.paged_parts import PagedParts
from engine.attention.batch import NO_DRAFTS, Drafts, build_batch
from engine.build import build_parts
from engine.config import EngineConfig
from engine.fusion.layer_stacking import stack_layers
from engine.fusion.native_decoder import NativeDecoder
from engine.linear.products import ProductsSetting
from engine.port.info.adapter import Adapter
from engine.port.info.kernels import Kernel
from engine.port.request import Prompt
from engine.scheduling.block_pool import BlockPool
from engine.scheduling.schedule import ScheduledTokens
from engine.scheduling.scheduler import Scheduler
from engine.scheduling.sequence import Sequence
from tests.support.tiny_models.text import save_tiny_model

NUM_LAYERS = 3
BLOCK_SIZE = 4
MOST_TOKENS = 30


class Engine:
    """A model's runner, with sequences of random tokens whose prompts it has computed."""

    def __init__(self, model: PreTrainedModel, parts: PagedParts, stacking: Kernel) -> None:
        self.model = model
        self.runner = parts.runner
        self.pages = parts.attention.pages
        self.stacking = stacking

    @property
    def num_stacked(self) -> int:
        """Layers that are in stacks, by the report."""
        return int(self.stacking.scope.partition(" ")[0] or 0)

    def sequences(self, num_sequences: int, adapters: Iterable[Adapter | None] = (None,)) -> list[Sequence]:
        """They lack their last token; some of it begins a block. adapters: theirs, by turns."""
        of_sequences = cycle(adapters)
        random = Random(num_sequences)
        scheduler = Scheduler(
            BlockPool(num_sequences * (MOST_TOKENS // BLOCK_SIZE + 2), BLOCK_SIZE),
            max_batch_tokens=512,
            max_num_sequences=num_sequences,
        )
        sequences, prompts = [], []
        for index in range(num_sequences):
            num_tokens = random.choice([1, BLOCK_SIZE, BLOCK_SIZE + 1, 2 * BLOCK_SIZE, MOST_TOKENS])
            token_ids = [random.randrange(250) for _ in range(num_tokens)]
            sequence = scheduler.new_sequence(
                order=(0, index, 0), prompt=Prompt(tuple(token_ids)), adapter=next(of_sequences)
            )
            sequence.table.grow(num_tokens, write_from=0)
            sequences.append(sequence)
            if num_tokens > 1:
                prompts.append(ScheduledTokens(sequence, 0, num_tokens - 1))
        if prompts:
            self.run(prompts, [0])
        return sequences

    def decode(self, sequences: list[Sequence], drafts: Drafts = NO_DRAFTS) -> Tensor:
        """[num_rows, vocab_size], of their last tokens and those drafted behind them; in the order of the
        number of tokens before each."""
        entries = [ScheduledTokens(each, each.num_tokens - 1, each.num_tokens) for each in sequences]
        num_rows = len(entries) + sum(map(len, drafts.values()))
        return self.run(entries, list(range(num_rows)), drafts)

    def run(self, entries: list[ScheduledTokens], rows: list[int], drafts: Drafts = NO_DRAFTS) -> Tensor:
        """[len(rows), vocab_size], of these rows of the batch."""
        return self.runner.run(build_batch(entries, BLOCK_SIZE, drafts), rows)


def build_engine(
    directory: Path,
    monkeypatch: pytest.MonkeyPatch,
    architecture: str,
    *,
    quantize: str | None = None,
    bfloat16_products: ProductsSetting = "auto",
    **changes: Any,
) -> Engine:
    """changes: to the tiny model's config."""
    models = []

    def stack(model: PreTrainedModel, run: Callable[[], list[Tensor]]) -> Kernel:
        models.append((model, stack_layers(model, run)))
        return models[0][1]

    monkeypatch.setattr("engine.assembly.paged_parts.stack_layers", stack)
    config = EngineConfig(
        model=str(save_tiny_model(directory, architecture, **changes)),
        device="cpu",
        dtype="bfloat16",
        quantize=quantize,
        bfloat16_products=bfloat16_products,
        num_kv_blocks=640,
        block_size=BLOCK_SIZE,
    )
    parts = build_parts(config, lambda line: None)
    [(model, stacking)] = models
    return Engine(model, parts, stacking)


def apart(
    engine: Engine, sequences: list[Sequence], monkeypatch: pytest.MonkeyPatch, drafts: Drafts = NO_DRAFTS
) -> Tensor:
    """Decode like `Engine.decode`, but layer by layer."""
    with monkeypatch.context() as context:
        context.setattr(NativeDecoder, "takes", lambda self, num_rows: False)
        return engine.decode(sequences, drafts)
