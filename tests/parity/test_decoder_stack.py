"""Layers in one call give, bit by bit, what they give one after another, and a row does not see its batch."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import PreTrainedModel
from transformers.models.qwen2.modeling_qwen2 import Qwen2DecoderLayer

from engine.batch import build_batch
from engine.build import build_core
from engine.config import EngineConfig
from engine.fused_layer import FusedLayer
from engine.kv_cache import BlockPool
from engine.layer_stacking import stack_layers
from engine.model_runner import ModelRunner
from engine.native_decoder import NativeDecoder
from engine.native_linear import can_multiply
from engine.schedule import Work
from engine.scheduler import Scheduler
from engine.sequence import Sequence
from engine.vnni_weight import has_vnni
from tests.tiny import save_tiny_model

NUM_LAYERS = 3
BLOCK_SIZE = 4
MOST_TOKENS = 30
# Of logits, relative: of bfloat16, which torch rounds in attention more often; of int8 one level is 1%.
TOLERANCE = {None: 2e-2, "int8": 5e-2}
# Heads of 64 go through registers of 512 bits, those of 16 that the tiny models have do not.
WIDE = {"head_dim": 64, "hidden_size": 96, "intermediate_size": 160}

pytestmark = pytest.mark.skipif(
    not (can_multiply() and has_vnni()), reason="no AVX-512 with bfloat16, AMX, or no compiler"
)


class Engine:
    """A model's runner, with sequences of random tokens whose prompts it has computed."""

    def __init__(self, model: PreTrainedModel, runner: ModelRunner, num_stacked: int) -> None:
        self.model = model
        self.runner = runner
        self.num_stacked = num_stacked

    def sequences(self, num_sequences: int) -> list[Sequence]:
        """They lack their last token; some of it begins a block."""
        random = Random(num_sequences)
        scheduler = Scheduler(
            BlockPool(num_sequences * MOST_TOKENS // BLOCK_SIZE + num_sequences, BLOCK_SIZE),
            max_batch_tokens=512,
            max_num_sequences=num_sequences,
        )
        sequences = []
        for index in range(num_sequences):
            num_tokens = random.choice([1, BLOCK_SIZE, BLOCK_SIZE + 1, 2 * BLOCK_SIZE, MOST_TOKENS])
            token_ids = [random.randrange(250) for _ in range(num_tokens)]
            sequence = scheduler.new_sequence(order=(0, index, 0), prompt_token_ids=token_ids)
            sequence.table.grow(num_tokens, write_from=0)
            sequences.append(sequence)
            if num_tokens > 1:
                self._run([Work(sequence, 0, num_tokens - 1)])
        return sequences

    def decode(self, sequences: list[Sequence]) -> Tensor:
        """[num_sequences, vocab_size], of their last tokens; in the order of their length."""
        return self._run([Work(each, each.num_tokens - 1, each.num_tokens) for each in sequences])

    def _run(self, works: list[Work]) -> Tensor:
        batch = build_batch(works, BLOCK_SIZE, self.runner.device)
        return self.runner.run(batch, [span.row for span in batch.spans])


Build = Callable[..., Engine]


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    def build(architecture: str, *, quantize: str | None = None, **changes: Any) -> Engine:
        models = []

        def stack(model: PreTrainedModel, run: Callable[[], Tensor]) -> int:
            models.append((model, stack_layers(model, run)))
            return models[0][1]

        monkeypatch.setattr("engine.build.stack_layers", stack)
        directory = str(save_tiny_model(tmp_path, architecture, **changes))
        config = EngineConfig(
            model=directory,
            device="cpu",
            dtype="bfloat16",
            quantize=quantize,
            num_kv_blocks=600,
            block_size=BLOCK_SIZE,
        )
        core = build_core(config, lambda line: None)[0]
        [(model, num_stacked)] = models
        return Engine(model, core._runner, num_stacked)

    return build


def apart(engine: Engine, sequences: list[Sequence], monkeypatch: pytest.MonkeyPatch) -> Tensor:
    """As `Engine.decode`, layer by layer."""
    with monkeypatch.context() as context:
        context.setattr(NativeDecoder, "takes", lambda self, num_rows: False)
        return engine.decode(sequences)


def forget_last_tokens(engine: Engine, sequences: list[Sequence]) -> None:
    """Takes keys and values that a step wrote from their pages."""
    for tensor in engine.runner.pages._tensors():
        for sequence in sequences:
            block, place = divmod(sequence.num_tokens - 1, BLOCK_SIZE)
            tensor[sequence.table.block_ids[block], place] = 1


def by_torch(engine: Engine, sequences: list[Sequence], monkeypatch: pytest.MonkeyPatch) -> Tensor:
    """As `Engine.decode`, by the layers that transformers made, and attention in torch."""
    with monkeypatch.context() as context:
        context.setattr(FusedLayer, "forward", lambda self, *args, **kwargs: self.layer(*args, **kwargs))
        context.setattr("engine.attention.can_decode", lambda device, dtype: False)
        return engine.decode(sequences)


@pytest.mark.parametrize("quantize", [None, "int8"])
@pytest.mark.parametrize(
    ("architecture", "changes"),
    [("qwen2", {}), ("qwen2", WIDE), ("qwen3", {}), ("qwen3", WIDE), ("mistral", {}), ("llama", WIDE)],
)
def test_one_call_gives_what_the_layers_give_one_by_one(
    architecture: str,
    changes: dict[str, Any],
    quantize: str | None,
    build: Build,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = build(architecture, quantize=quantize, **changes)
    assert engine.num_stacked == NUM_LAYERS
    for num_rows in (1, 2, 7, 8, 32, 64):
        sequences = engine.sequences(num_rows)
        expected = apart(engine, sequences, monkeypatch)
        pages = [tensor.clone() for tensor in engine.runner.pages._tensors()]
        forget_last_tokens(engine, sequences)
        logits = engine.decode(sequences)
        assert torch.equal(logits, expected)
        assert all(map(torch.equal, engine.runner.pages._tensors(), pages))
        oracle = by_torch(engine, sequences, monkeypatch).float()
        difference = (logits.float() - oracle).norm() / oracle.norm()
        assert difference < TOLERANCE[quantize]


@pytest.mark.parametrize("quantize", [None, "int8"])
def test_a_row_is_computed_alike_alone_and_in_any_batch(quantize: str | None, build: Build) -> None:
    engine = build("qwen2", quantize=quantize, **WIDE)
    sequences = sorted(engine.sequences(64), key=lambda each: each.num_tokens)
    together = engine.decode(sequences)
    for num_rows in (1, 3, 9):
        parts = [sequences[row : row + num_rows] for row in range(0, 64, num_rows)]
        assert torch.equal(torch.cat([engine.decode(part) for part in parts]), together)


def test_windows_that_differ_from_layer_to_layer_are_kept(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = build(
        "qwen2",
        use_sliding_window=True,
        sliding_window=5,
        layer_types=["sliding_attention", "full_attention", "sliding_attention"],
    )
    assert engine.num_stacked == NUM_LAYERS
    sequences = engine.sequences(8)
    logits = engine.decode(sequences)
    assert torch.equal(logits, apart(engine, sequences, monkeypatch))


def num_calls(engine: Engine, sequences: list[Sequence], monkeypatch: pytest.MonkeyPatch) -> int:
    """Of compiled stacks in a step."""
    calls = []
    compute: Any = NativeDecoder.__call__

    def count(self: NativeDecoder, *args: Any) -> Tensor:
        calls.append(self)
        output: Tensor = compute(self, *args)
        return output

    with monkeypatch.context() as context:
        context.setattr(NativeDecoder, "__call__", count)
        engine.decode(sequences)
    return len(calls)


def test_all_layers_are_one_call_and_those_before_and_after_another_are_two(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = build("qwen2")
    assert num_calls(engine, engine.sequences(3), monkeypatch) == 1
    forward: Any = Qwen2DecoderLayer.forward

    def forward_with_more(self: Any, hidden_states: Tensor, **options: Any) -> Any:
        output = forward(self, hidden_states, **options)
        return output if self.self_attn.layer_idx != 1 else output + 0.1 * output.roll(1, -1)

    monkeypatch.setattr(Qwen2DecoderLayer, "forward", forward_with_more)
    engine = build("qwen2")
    assert engine.num_stacked == NUM_LAYERS - 1
    sequences = engine.sequences(3)
    assert num_calls(engine, sequences, monkeypatch) == 2
    assert torch.equal(engine.decode(sequences), apart(engine, sequences, monkeypatch))


def test_chunks_and_more_rows_than_a_call_takes_go_layer_by_layer(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = build("qwen2")
    sequences = engine.sequences(65)
    assert num_calls(engine, sequences, monkeypatch) == 0
    assert num_calls(engine, sequences[:64], monkeypatch) == 1


def test_a_stack_that_gives_something_else_is_taken_apart(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    compute: Any = NativeDecoder.__call__
    monkeypatch.setattr(NativeDecoder, "__call__", lambda self, *args: compute(self, *args).roll(1, -1))
    engine = build("qwen2")
    assert engine.num_stacked == 0
    assert num_calls(engine, engine.sequences(2), monkeypatch) == 0


def test_layers_of_float32_are_not_stacked(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.loader._choose_dtype", lambda *_: torch.float32)
    assert build("qwen2").num_stacked == 0
