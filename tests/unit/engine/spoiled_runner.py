"""A runner whose steps a test spoils, and a core over it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from typing_extensions import override

from engine.assembly.paged_parts import PagedParts
from engine.attention.batch import Batch
from engine.build import build_parts
from engine.config import EngineConfig
from engine.core.core import EngineCore
from engine.core.runner import Runner
from tools.bench.engine.wrapped_runner import WrappedRunner


class SpoiledRunner(WrappedRunner):
    """Runs what another runner does, but for what a test does before and after.

    before: called with the batch; what it raises is the step's error. after: called with the batch and the
    logits, which it may change.
    """

    def __init__(self, runner: Runner) -> None:
        super().__init__(runner)
        self.before: Callable[[Batch], object] = lambda batch: None
        self.after: Callable[[Batch, Tensor], object] = lambda batch, logits: None

    @override
    @torch.inference_mode()
    def run(self, batch: Batch, logit_rows: list[int]) -> Tensor:
        self.before(batch)
        logits = super().run(batch, logit_rows)
        self.after(batch, logits)
        return logits


def new_parts(directory: Path, **shape: Any) -> PagedParts:
    return build_parts(EngineConfig(model=str(directory), device="cpu", **shape), lambda line: None)


def spoiled_core(directory: Path, **shape: Any) -> tuple[EngineCore, SpoiledRunner]:
    """A core whose steps are the model's own until the runner's `before` or `after` is set."""
    parts = new_parts(directory, **shape)
    runner = SpoiledRunner(parts.runner)
    return parts.core(runner), runner


def arrivals_of(batch: Batch) -> list[int]:
    """The arrival of each row's request, of a batch whose every row gives a token."""
    return [entry.sequence.arrival for entry in batch.entries]


def fail(batch: Batch) -> None:
    """A `before` of a device that is lost."""
    raise RuntimeError("device lost")
