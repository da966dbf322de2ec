"""Steps that are recorded once for each of a few sizes, and replayed by one launch.

A recording knows only the addresses of tensors. So each size has its own inputs, in one piece of memory,
which one copy fills. Rows that a step does not fill write their keys to a page that no sequence owns, and
nobody looks at their outputs.
"""

import inspect
from collections.abc import Callable
from copy import copy
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.attention.batch import Batch, Span
from engine.attention.kv_cache.pages import KVPages
from engine.attention.paged_attention import current_attention
from engine.attention.varlen.attention import ServedLayers, VarlenAttention
from engine.attention.varlen.plan import VarlenPlan, lay_out, width_for
from engine.host.transfers import PackedTensors
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


class StepSize(NamedTuple):
    """The size of a recording. num_rows, num_sequences: the most of a step, powers of two.

    most_rows: of one sequence; 1 if all rows decode, so that there are as many sequences as rows.
    """

    num_rows: int
    num_sequences: int
    most_rows: int

    @classmethod
    def of_decodes(cls, num_rows: int) -> "StepSize":
        """Return the size of steps whose rows all decode."""
        return cls(num_rows, num_rows, 1)

    @classmethod
    def of_any(cls, num_rows: int, num_sequences: int) -> "StepSize":
        """Return the size of steps with chunks of prompts, whether or not others decode."""
        return cls(num_rows, min(num_rows, num_sequences), num_rows)

    def takes(self, spans: list[Span], num_rows: int, num_logits: int) -> bool:
        """Return whether a step fits: its rows, its sequences, and the rows whose logits are wanted."""
        return (
            num_rows <= self.num_rows
            and max(len(spans), num_logits) <= self.num_sequences
            and (self.most_rows > 1 or num_rows == len(spans))
        )


class RecordedSteps:
    """Recordings of a model's own forward, whose layers torch's varlen attention serves."""

    def __init__(self, runner: ModelRunner, pages: KVPages, served: ServedLayers, most_keys: int) -> None:
        """Begin without recordings. pages: have a spare block. most_keys: of a sequence."""
        self._runner = runner
        self._pages = pages
        self._served = served
        self._width = width_for(-(-most_keys // pages.block_size), pages.block_size)
        self._steps: dict[StepSize, _RecordedStep] = {}

    @property
    def sizes(self) -> list[StepSize]:
        """The sizes of which there are recordings, those of decoding steps first, ascending."""
        return list(self._steps)

    @torch.inference_mode()
    def record(self, size: StepSize, capture: Capture) -> None:
        """Record steps of up to this size."""
        step = _RecordedStep(size, self._width, self._runner, self._pages, self._served, capture)
        steps = {**self._steps, size: step}
        self._steps = {size: steps[size] for size in sorted(steps, key=lambda one: (one.most_rows > 1, one))}

    def of_decodes(self) -> "RecordedSteps":
        """Return those of steps whose rows all decode."""
        others = copy(self)
        others._steps = {size: step for size, step in self._steps.items() if size.most_rows == 1}
        return others

    def forget(self, size: StepSize) -> None:
        """Leave steps of this size to a larger recording, or to the model's own forward."""
        del self._steps[size]

    def run(self, batch: Batch, logit_rows: list[int]) -> tuple[Tensor, Tensor] | None:
        """Compute a batch that is on the host, and return its hidden states and the logits of these rows.

        They are [num_rows, hidden_size], and raw, [len(logit_rows), vocab_size]. The next step
        overwrites both. None declines the batch.
        """
        if not _is_plain(batch):
            return None
        spans, num_rows = batch.decodes + batch.chunks, len(batch.slots)
        for size, step in self._steps.items():
            if size.takes(spans, num_rows, len(logit_rows)):
                return step.run(batch, spans, logit_rows)
        return None


def _is_plain(batch: Batch) -> bool:
    """Return whether the model needs no more of a batch than recordings have."""
    others = (batch.adapters, batch.long_rows, batch.rope_positions)
    return not batch.media and all(other is None for other in others)


class _RecordedStep:
    """The inputs of one size, where its recording reads them, and the outputs, where it writes them."""

    def __init__(
        self,
        size: StepSize,
        width: int,
        runner: ModelRunner,
        pages: KVPages,
        served: ServedLayers,
        capture: Capture,
    ) -> None:
        self._size = size
        self._width = width
        self._runner = runner
        self._spare_slot = pages.spare_block * pages.block_size
        nothing = torch.zeros(0, dtype=torch.int64)
        self._inputs = PackedTensors(
            self._arrays(Batch([], nothing, nothing, nothing, [], []), [], []), runner.device
        )
        rows, self._sources, self._logit_rows, starts, ends, counts, table = self._inputs.tensors
        self._batch = Batch([], rows[0], rows[1], rows[2], [], [])
        plan = VarlenPlan(starts, ends, counts, table, size.most_rows, width * pages.block_size)
        self._attention = VarlenAttention(self._batch, pages, served, plan)
        self._outputs: tuple[Tensor, Tensor] | None = None
        self._replay = capture(self._compute)

    def run(self, batch: Batch, spans: list[Span], logit_rows: list[int]) -> tuple[Tensor, Tensor]:
        self._inputs.fill(self._arrays(batch, spans, logit_rows))
        if batch.unseen is not None:
            drawn, input_ids = batch.unseen.token_ids, self._batch.input_ids
            input_ids.copy_(torch.where(self._sources < 0, input_ids, drawn[self._sources.clamp(min=0)]))
        self._replay()
        assert self._outputs is not None
        hidden_states, logits = self._outputs
        return hidden_states[: len(batch.slots)], logits[: len(logit_rows)]

    def _arrays(self, batch: Batch, spans: list[Span], logit_rows: list[int]) -> list[NDArray[Any]]:
        """Return the inputs of a step: rows [3, num_rows], sources, rows of logits, and the plan's four."""
        size, num_rows = self._size, len(batch.slots)
        rows = np.zeros((3, size.num_rows), np.int64)
        rows[2] = self._spare_slot
        for row, tensor in zip(rows, (batch.input_ids, batch.positions, batch.slots), strict=True):
            row[:num_rows] = tensor.numpy()
        sources = np.full(size.num_rows, -1)  # of tokens that are known
        if batch.unseen is not None:
            sources[batch.unseen.rows] = batch.unseen.sources
        wanted = np.zeros(size.num_sequences, np.int64)
        wanted[: len(logit_rows)] = logit_rows
        return [rows, sources, wanted, *lay_out(spans, size.num_sequences, self._width)]

    def _compute(self) -> None:
        model: Any = self._runner.model
        has_positions = "position_ids" in inspect.signature(model.forward).parameters
        positions = {"position_ids": self._batch.positions[None]} if has_positions else {}
        token = current_attention.set(self._attention)
        try:
            output = model(
                input_ids=self._batch.input_ids[None],
                **positions,
                use_cache=False,
                logits_to_keep=self._logit_rows,
            )
        finally:
            current_attention.reset(token)
        self._outputs = self._runner.hidden_states, output.logits[0]
