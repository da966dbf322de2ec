"""A runner whose steps a test spoils, and a core over it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from engine.assembly.paged_parts import PagedParts
from engine.attention.batch import Batch
from engine.build import build_parts
from engine.core.core import EngineCore
from engine.core.runner import Runner
from tests.support.tiny_models.config import tiny_config


class SpoiledRunner:
    """Runs what another runner does, but for what a test does before and after.

    before: called with the batch; what it raises is the step's error. after: called with the batch and the
    logits, which it may change.
    """

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self.before: Callable[[Batch], object] = lambda batch: None
        self.after: Callable[[Batch, Tensor], object] = lambda batch, logits: None

    @property
    def device(self) -> torch.device:
        return self._runner.device

    @property
    def block_size(self) -> int:
        return self._runner.block_size

    @property
    def hidden_states(self) -> Tensor:
        return self._runner.hidden_states

    @property
    def failed_media(self) -> frozenset[bytes]:
        return self._runner.failed_media

    def copy_blocks(self, copies: list[tuple[int, int]]) -> None:
        self._runner.copy_blocks(copies)

    def copy_states(self, copies: list[tuple[int, int]]) -> None:
        self._runner.copy_states(copies)

    def release_states(self, slots: list[int]) -> None:
        self._runner.release_states(slots)

    def clear_blocks(self, blocks: list[int]) -> None:
        self._runner.clear_blocks(blocks)

    @torch.inference_mode()
    def run(self, batch: Batch, logit_rows: list[int]) -> Tensor:
        self.before(batch)
        logits = self._runner.run(batch, logit_rows)
        self.after(batch, logits)
        return logits


def new_parts(directory: Path, **shape: Any) -> PagedParts:
    return build_parts(tiny_config(directory, **shape), lambda line: None)


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
