"""Runs the model on a batch."""

import torch
from torch import Tensor
from transformers import PreTrainedModel

from engine.attention.batch import Batch
from engine.attention.kv_pages import KVPages
from engine.attention.paged_attention import PagedAttention, current_attention
from engine.model.decode_path import DecodePath
from engine.model.hidden_states import HiddenStates


class ModelRunner:
    """The model, its KV pages, and one forward pass of both.

    hidden_states: of the batch that ran last. decode_path: for batches whose rows all decode, where there
    is one.
    """

    def __init__(self, model: PreTrainedModel, pages: KVPages) -> None:
        self._model = model
        self.pages = pages
        self.hidden_states = HiddenStates(model)
        self.decode_path: DecodePath | None = None

    @property
    def device(self) -> torch.device:
        device: torch.device = self._model.device
        return device

    @torch.inference_mode()
    def run(self, batch: Batch, logit_rows: list[int]) -> Tensor:
        """Computes the batch, filling its slots; returns raw logits [len(logit_rows), vocab_size] of those
        rows.

        The head runs on those rows alone.
        """
        token = current_attention.set(PagedAttention(batch, self.pages))
        try:
            logits = self._decode(batch, logit_rows)
            return self._forward(batch, logit_rows) if logits is None else logits
        finally:
            current_attention.reset(token)

    def _decode(self, batch: Batch, logit_rows: list[int]) -> Tensor | None:
        if self.decode_path is None or (rows := self.decode_path.hidden_states(batch)) is None:
            return None
        self.hidden_states.keep(rows)
        return self.decode_path.logits(rows, logit_rows)

    def _forward(self, batch: Batch, logit_rows: list[int]) -> Tensor:
        """Through the model's own, so that what it does to its logits (soft-capping, scaling) is done."""
        output = self._model(
            input_ids=batch.input_ids[None],
            position_ids=batch.positions[None],
            use_cache=False,
            logits_to_keep=torch.tensor(logit_rows, dtype=torch.int64, device=self.device),
        )
        logits: Tensor = output.logits[0]
        return logits
