"""A runner that wraps another one, for measurements and failures."""

import torch
from torch import Tensor

from engine.attention.batch import Batch
from engine.core.runner import Runner


class WrappedRunner:
    """A runner that forwards to another one; subclasses override `run`."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

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
        return self._runner.run(batch, logit_rows)
