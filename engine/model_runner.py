"""Runs the model on a batch."""

import torch
from torch import Tensor
from transformers import PreTrainedModel

from engine.attention import PagedAttention, current_attention
from engine.batch import Batch
from engine.hidden_states import HiddenStates
from engine.kv_pages import KVPages


class ModelRunner:
    """The model, its KV pages, and one forward pass of both.

    hidden_states: of the batch that ran last.
    """

    def __init__(self, model: PreTrainedModel, pages: KVPages) -> None:
        self._model = model
        self.pages = pages
        self.hidden_states = HiddenStates(model)

    @property
    def device(self) -> torch.device:
        device: torch.device = self._model.device
        return device

    @torch.inference_mode()
    def run(self, batch: Batch, logit_rows: list[int]) -> Tensor:
        """Computes the batch, filling its slots; returns raw logits [len(logit_rows), vocab_size] of those
        rows.

        The head runs on those rows alone, through the model's own forward, so that what a model does to its
        logits (soft-capping, scaling) is done.
        """
        token = current_attention.set(PagedAttention(batch, self.pages))
        try:
            output = self._model(
                input_ids=batch.input_ids[None],
                position_ids=batch.positions[None],
                use_cache=False,
                logits_to_keep=torch.tensor(logit_rows, dtype=torch.int64, device=self.device),
            )
        finally:
            current_attention.reset(token)
        logits: Tensor = output.logits[0]
        return logits
