"""Decoding steps that are recorded once for each of a few sizes, and replayed by one launch.

A recording knows only the addresses of tensors. So each size has its own inputs, which a step fills; rows
that it does not fill write their keys to a page that no sequence owns, and nobody looks at their outputs.
"""

import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from engine.attention.batch import Batch
from engine.attention.kv_cache.pages import KVPages
from engine.attention.paged_attention import current_attention
from engine.attention.varlen.attention import ServedLayers, VarlenAttention
from engine.attention.varlen.plan import VarlenPlan, rounded
from engine.host.transfers import upload
from engine.model.runner import ModelRunner

# Records a computation on tensors that stay where they are, and returns what repeats it.
Capture = Callable[[Callable[[], None]], Callable[[], None]]


def cuda_graphs(device: torch.device) -> Capture | None:
    """Return the recording of CUDA graphs, which share one pool of memory; None on a CPU."""
    if device.type != "cuda":
        return None
    pool = torch.cuda.graph_pool_handle()

    def capture(compute: Callable[[], None]) -> Callable[[], None]:
        current, side = torch.cuda.current_stream(device), torch.cuda.Stream(device)  # type: ignore[no-untyped-call]  # torch leaves it untyped
        side.wait_stream(current)
        with torch.cuda.stream(side):  # libraries make their plans and workspaces, which cannot be recorded
            compute()
        current.wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=pool):
            compute()
        replay: Callable[[], None] = graph.replay
        return replay

    return capture


class DecodeGraphs:
    """A `DecodePath` by recordings of a model's own forward, whose layers torch's varlen attention serves.

    sizes: the numbers of rows of which there is a recording, ascending.
    """

    def __init__(self, runner: ModelRunner, pages: KVPages, served: ServedLayers, most_keys: int) -> None:
        """Begin without recordings. pages: have a spare block. most_keys: of a sequence."""
        self._runner = runner
        self._pages = pages
        self._served = served
        self._most_keys = most_keys
        self._steps: dict[int, _RecordedStep] = {}
        self._logits: Tensor | None = None

    @property
    def sizes(self) -> list[int]:
        return sorted(self._steps)

    @torch.inference_mode()
    def record(self, size: int, capture: Capture) -> None:
        """Record steps of up to so many rows, a power of two."""
        self._steps[size] = _RecordedStep(
            size, self._most_keys, self._runner, self._pages, self._served, capture
        )

    def forget(self, size: int) -> None:
        """Leave steps of this size to the model's own forward."""
        del self._steps[size]

    def hidden_states(self, batch: Batch) -> Tensor | None:
        attention, step = current_attention.get(), self._steps.get(rounded(len(batch.slots)))
        if step is None or not isinstance(attention, VarlenAttention) or not _is_plain(batch):
            return None
        hidden_states, self._logits = step.run(batch, attention.plan)
        return hidden_states

    def logits(self, hidden_states: Tensor, rows: list[int]) -> Tensor:
        assert self._logits is not None, "no step was run"
        logits, self._logits = self._logits, None
        if rows == list(range(len(logits))):
            return logits
        return logits[upload(rows, logits.device, torch.int64)]


def _is_plain(batch: Batch) -> bool:
    """Return whether all rows decode, and the model needs no more of them than recordings have."""
    others = (batch.adapters, batch.long_rows, batch.rope_positions)
    return not batch.chunks and all(other is None for other in others)


class _RecordedStep:
    """The inputs of one size, where its recording reads them, and the outputs, where it writes them."""

    def __init__(
        self,
        size: int,
        most_keys: int,
        runner: ModelRunner,
        pages: KVPages,
        served: ServedLayers,
        capture: Capture,
    ) -> None:
        self._runner = runner
        self._spare_slot = pages.spare_block * pages.block_size
        rows = torch.zeros(3, size, dtype=torch.int64, device=runner.device)
        rows[2] = self._spare_slot
        self._batch = Batch([], rows[0], rows[1], rows[2], [], [])
        self._plan = VarlenPlan.of_decodes(size, most_keys, pages.block_size, runner.device)
        self._attention = VarlenAttention(self._batch, pages, served, self._plan)
        self._outputs: tuple[Tensor, Tensor] | None = None
        self._replay = capture(self._compute)

    def run(self, batch: Batch, plan: VarlenPlan) -> tuple[Tensor, Tensor]:
        """Return the hidden states [num_rows, hidden_size] and the logits [num_rows, vocab_size] of a batch.

        The next step of any size overwrites them.
        """
        num_rows, own = len(batch.slots), self._batch
        own.input_ids[:num_rows].copy_(batch.input_ids)
        own.positions[:num_rows].copy_(batch.positions)
        own.slots[:num_rows].copy_(batch.slots)
        own.slots[num_rows:] = self._spare_slot  # an earlier step may have had more rows
        self._plan.refill(plan)
        self._replay()
        assert self._outputs is not None
        hidden_states, logits = self._outputs
        return hidden_states[:num_rows], logits[:num_rows]

    def _compute(self) -> None:
        model: Any = self._runner.model
        has_positions = "position_ids" in inspect.signature(model.forward).parameters
        positions = {"position_ids": self._batch.positions[None]} if has_positions else {}
        token = current_attention.set(self._attention)
        try:
            output = model(input_ids=self._batch.input_ids[None], **positions, use_cache=False)
        finally:
            current_attention.reset(token)
        self._outputs = self._runner.hidden_states, output.logits[0]
