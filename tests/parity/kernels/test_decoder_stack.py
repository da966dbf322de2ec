"""Layers in one call give, bit by bit, what they give one after another, and a row does not see its batch."""

import dataclasses
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers.models.qwen2.modeling_qwen2 import Qwen2DecoderLayer

from engine.attention.batch import NO_DRAFTS, Drafts, build_batch
from engine.fusion.fused_layer import FusedLayer
from engine.fusion.native_decoder import NativeDecoder
from engine.scheduling.schedule import ScheduledTokens
from engine.scheduling.sequence import Sequence
from tests.parity.kernels.decoding_engine import BLOCK_SIZE, NUM_LAYERS, Engine, apart, build_engine
from tests.support.selection.instructions import needs_compiled_bfloat16

# Of logits, relative: of bfloat16, which torch rounds in attention more often; of rounded rows one level is
# 1%.
TOLERANCE = {None: 2e-2, "int8": 5e-2, "int4": 5e-2, "int4-g64-asym": 1e-1}
# Inputs in whole groups of 32, as weights of 4 bits have them.
NARROW = {"hidden_size": 64}
# Heads of 64 fill registers of every width, of which AVX-512 multiplies pairs of bfloat16.
WIDE = {"head_dim": 64, "hidden_size": 96, "intermediate_size": 160}

pytestmark = needs_compiled_bfloat16

every_arithmetic = pytest.mark.parametrize(
    "arithmetic",
    [
        {"bfloat16_products": "pairs"},
        pytest.param({"bfloat16_products": "widened"}, marks=pytest.mark.long),
        *({"quantize": name} for name in ("int8", "int4-g64-asym")),
        pytest.param({"quantize": "int4"}, marks=pytest.mark.long),
    ],
    ids=["pairs", "widened", "int8", "int4-g64-asym", "int4"],
)


Build = Callable[..., Engine]


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    return partial(build_engine, tmp_path, monkeypatch)


def forget_last_tokens(engine: Engine, sequences: list[Sequence]) -> None:
    """Takes keys and values that a step wrote from their pages."""
    for tensor in engine.pages._tensors():
        for sequence in sequences:
            block, place = divmod(sequence.num_tokens - 1, BLOCK_SIZE)
            tensor[sequence.table.block_ids[block], place] = 1


def copied_pages(engine: Engine) -> list[Tensor]:
    return [tensor.clone() for tensor in engine.pages._tensors()]


def restore(engine: Engine, pages: list[Tensor]) -> None:
    for tensor, earlier in zip(engine.pages._tensors(), pages, strict=True):
        tensor.copy_(earlier)


def backwards(engine: Engine, sequences: list[Sequence], drafts: Drafts) -> Tensor:
    """Decode like `Engine.decode`, with the rows in the opposite order, so that the last come first."""
    entries = [ScheduledTokens(each, each.num_tokens - 1, each.num_tokens) for each in sequences]
    batch = build_batch(entries, BLOCK_SIZE, drafts)
    last = len(batch.slots) - 1
    turned = dataclasses.replace(
        batch,
        input_ids=batch.input_ids.flip(0),
        positions=batch.positions.flip(0),
        slots=batch.slots.flip(0),
        decodes=[span._replace(row=last - span.row) for span in reversed(batch.decodes)],
        drafted={sequence: [last - row for row in rows] for sequence, rows in batch.drafted.items()},
    )
    return engine.runner.run(turned, list(range(last + 1)))


def by_torch(engine: Engine, sequences: list[Sequence], monkeypatch: pytest.MonkeyPatch) -> Tensor:
    """Decode like `Engine.decode`, but by the layers that transformers made, and attention in torch."""
    with monkeypatch.context() as context:
        context.setattr(FusedLayer, "forward", lambda self, *args, **kwargs: self.layer(*args, **kwargs))
        context.setattr("engine.attention.paged_attention.can_decode", lambda device, dtype: False)
        return engine.decode(sequences)


@every_arithmetic
@pytest.mark.parametrize(
    ("architecture", "changes"),
    [
        ("qwen2", NARROW),
        ("qwen2", WIDE),
        ("qwen3", NARROW),
        ("qwen3", WIDE),
        ("mistral", NARROW),
        ("llama", WIDE),
    ],
)
def test_one_call_gives_what_the_layers_give_one_by_one(
    architecture: str,
    changes: dict[str, Any],
    arithmetic: Mapping[str, Any],
    build: Build,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = build(architecture, **arithmetic, **changes)
    assert engine.num_stacked == NUM_LAYERS
    for num_rows in (1, 2, 7, 8, 32, 64):
        sequences = engine.sequences(num_rows)
        expected = apart(engine, sequences, monkeypatch)
        pages = copied_pages(engine)
        forget_last_tokens(engine, sequences)
        logits = engine.decode(sequences)
        assert torch.equal(logits, expected)
        assert all(map(torch.equal, engine.pages._tensors(), pages))
        oracle = by_torch(engine, sequences, monkeypatch).float()
        difference = (logits.float() - oracle).norm() / oracle.norm()
        assert difference < TOLERANCE[arithmetic.get("quantize")]


@every_arithmetic
def test_a_row_is_computed_alike_alone_and_in_any_batch(arithmetic: Mapping[str, Any], build: Build) -> None:
    engine = build("qwen2", **arithmetic, **WIDE)
    sequences = sorted(engine.sequences(64), key=lambda each: each.num_tokens)
    together = engine.decode(sequences)
    for num_rows in (1, 3, 9):
        parts = [sequences[row : row + num_rows] for row in range(0, 64, num_rows)]
        assert torch.equal(torch.cat([engine.decode(part) for part in parts]), together)


@every_arithmetic
@pytest.mark.parametrize(("architecture", "window"), [("qwen2", {}), ("mistral", {"sliding_window": 3})])
def test_one_call_verifies_drafts_as_the_layers_do_and_as_step_by_step(
    architecture: str,
    window: dict[str, Any],
    arithmetic: Mapping[str, Any],
    build: Build,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Drafted rows read keys that other rows of the step write; some of these begin a block."""
    engine = build(architecture, **arithmetic, **WIDE, **window)
    sequences = engine.sequences(9)
    drafts = {sequences[place]: tuple(range(40, 40 + place)) for place in range(1, 8)}
    for sequence, draft in drafts.items():
        sequence.table.grow(sequence.num_tokens + len(draft), write_from=sequence.num_tokens - 1)
    before = copied_pages(engine)
    expected = apart(engine, sequences, monkeypatch, drafts)
    pages = copied_pages(engine)
    restore(engine, before)
    assert num_calls(engine, sequences, monkeypatch, drafts) == 1
    assert all(map(torch.equal, engine.pages._tensors(), pages))
    restore(engine, before)
    assert torch.equal(engine.decode(sequences, drafts), expected)
    restore(engine, before)
    assert torch.equal(backwards(engine, sequences, drafts).flip(0), expected)
    restore(engine, before)
    rows: list[tuple[int, bool, Tensor]] = []
    for sequence in sequences:
        rows.append((sequence.num_tokens, False, engine.decode([sequence])))
        for token_id in drafts.get(sequence, ()):
            sequence.token_ids.append(token_id)
            rows.append((sequence.num_tokens, True, engine.decode([sequence])))
    in_batch_order = sorted(rows, key=lambda row: row[:2])
    assert torch.equal(torch.cat([logits for _, _, logits in in_batch_order]), expected)


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


def num_calls(
    engine: Engine, sequences: list[Sequence], monkeypatch: pytest.MonkeyPatch, drafts: Drafts = NO_DRAFTS
) -> int:
    """Return the number of calls of compiled stacks in a step."""
    calls = []
    compute: Any = NativeDecoder.__call__

    def count(self: NativeDecoder, *args: Any) -> Tensor:
        calls.append(self)
        output: Tensor = compute(self, *args)
        return output

    with monkeypatch.context() as context:
        context.setattr(NativeDecoder, "__call__", count)
        engine.decode(sequences, drafts)
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
    monkeypatch.setattr("engine.model.loading.planning.plan._choose_dtype", lambda *_: torch.float32)
    assert build("qwen2").num_stacked == 0
