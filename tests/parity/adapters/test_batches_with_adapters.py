"""A batch has the adapter of each row, and a fast path computes a batch that has one only where it may."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from torch import Tensor
from transformers import PreTrainedModel

from engine.assembly.engine_parts import EngineParts
from engine.attention.batch import Batch, build_batch
from engine.fusion.decode_fast_path import DecodeFastPath
from engine.fusion.fused_layer import FusedLayer
from engine.fusion.layer_stacking import stack_layers
from engine.port.info.adapter import Adapter
from engine.port.info.kernels import Kernel
from engine.port.request import BeamParams, Prompt, SamplingParams, StopConditions
from engine.scheduling.block_pool import BlockPool
from engine.scheduling.schedule import ScheduledTokens
from engine.scheduling.scheduler import Scheduler
from tests.support.engine_requests import generation_request
from tests.support.selection.instructions import needs_compiler
from tests.support.tiny_models.text import save_tiny_model
from tests.unit.engine.spoiled_runner import new_parts, spoiled_core

BLOCK_SIZE = 4
PROMPTS = ((5, 6, 7), (8,))


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("qwen2"), "qwen2")


POET, CLERK = Adapter("poet", "1"), Adapter("clerk", "2")


def new_batch(*adapters: Adapter | None) -> Batch:
    """A batch of `PROMPTS`, each with an adapter or none; the second, of one token, comes first."""
    scheduler = Scheduler(BlockPool(8, BLOCK_SIZE), max_batch_tokens=8, max_num_sequences=2)
    entries = []
    for index, (token_ids, adapter) in enumerate(zip(PROMPTS, adapters, strict=True)):
        sequence = scheduler.new_sequence(order=(0, index, 0), prompt=Prompt(token_ids), adapter=adapter)
        sequence.table.grow(len(token_ids), write_from=0)
        entries.append(ScheduledTokens(sequence, 0, len(token_ids)))
    return build_batch(entries, BLOCK_SIZE)


def test_a_batch_has_the_adapter_of_each_row() -> None:
    assert new_batch(POET, None).adapters == (None, POET, POET, POET)
    assert new_batch(POET, CLERK).adapters == (CLERK, POET, POET, POET)
    assert new_batch(None, None).adapters is None


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"num_sequences": 3},
        {"num_sequences": 3, "num_parallel": 1},
        {"num_sequences": 2, "beams": BeamParams(num_beams=3)},
    ],
    ids=["one", "forks", "one_after_another", "beams"],
)
def test_every_row_of_a_request_has_its_adapter(directory: Path, options: dict[str, Any]) -> None:
    core, runner = spoiled_core(directory, block_size=BLOCK_SIZE)
    seen: set[Adapter | None] = set()
    runner.before = lambda batch: seen.update(batch.adapters or (None,))
    request = generation_request(
        token_ids=range(6),
        sampling=SamplingParams(temperature=0.0),
        stopping=StopConditions(max_tokens=6, ignore_eos=True),
        adapter="poet",
        **options,
    )
    core.add(0, request, adapter=POET)
    while core.has_work:
        core.step()
    assert seen == {POET}
    core.close()


class Untouched:
    """Fails whatever calls it or looks at it."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name} was asked for")


def never(*_: Any) -> None:
    raise AssertionError("a fast path was taken")


class Declines:
    """A stack that takes no rows with adapters."""

    def takes(self, num_rows: int, *, has_adapters: bool) -> bool:
        return not has_adapters


def test_compiled_decoding_declines_a_batch_with_adapters_if_its_stack_does() -> None:
    module: Any = Untouched()
    stack: Any = Declines()
    path = DecodeFastPath(module, module, stack, module, module)
    batch = replace(new_batch(None, None), chunks=[])
    assert path.hidden_states(replace(batch, adapters=(POET,))) is None
    with pytest.raises(TypeError, match="not callable"):  # the embedding
        path.hidden_states(batch)


def logits(parts: EngineParts, *adapters: Adapter | None) -> Tensor:
    """[4, vocab_size], of all rows of `new_batch`."""
    return parts.runner.run(new_batch(*adapters), list(range(4)))


@needs_compiler
def test_fused_layers_leave_a_batch_with_adapters_to_each_module(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = new_parts(directory, block_size=BLOCK_SIZE)
    expected = logits(parts, None, None)
    monkeypatch.setattr(FusedLayer, "_compute", never)
    with pytest.raises(AssertionError, match="a fast path was taken"):
        logits(parts, None, None)
    actual = logits(parts, POET, None)
    assert (actual - expected).norm() / expected.norm() < 1e-5


@needs_compiler
def test_a_stack_of_layers_is_not_asked_for_a_batch_with_adapters(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = []

    def stack(model: PreTrainedModel, run: Callable[[], list[Tensor]]) -> Kernel:
        models.append(model)
        return stack_layers(model, run)

    monkeypatch.setattr("engine.assembly.paged_parts.stack_layers", stack)
    parts = new_parts(directory, block_size=BLOCK_SIZE)
    expected = logits(parts, None, None)
    first = next(part for part in models[0].modules() if isinstance(part, FusedLayer))
    untouched: Any = Untouched()
    monkeypatch.setattr(first, "leads", untouched)
    with pytest.raises(AssertionError, match="compute was asked for"):
        logits(parts, None, None)
    assert (logits(parts, POET, POET) - expected).norm() / expected.norm() < 1e-5
