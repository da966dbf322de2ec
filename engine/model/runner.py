"""The runner of a transformers model on batches of scheduled tokens."""

import torch
from torch import Tensor
from transformers import PreTrainedModel

from engine.attention.backend import AttentionBackend
from engine.attention.batch import Batch
from engine.attention.paged_attention import current_attention
from engine.model.adapters import current_adapters
from engine.model.decode_path import DecodePath
from engine.model.hidden_states import HiddenStates
from engine.transfers import upload


class ModelRunner:
    """A transformers model and its attention backend.

    decode_path: computes batches whose rows all decode; None to use the model's own forward for these too.
    """

    def __init__(self, model: PreTrainedModel, attention: AttentionBackend) -> None:
        self._model = model
        self._attention = attention
        self._hidden_states = HiddenStates(model)
        self.decode_path: DecodePath | None = None

    @property
    def device(self) -> torch.device:
        device: torch.device = self._model.device
        return device

    @property
    def num_blocks(self) -> int:
        return self._attention.num_blocks

    @property
    def block_size(self) -> int:
        return self._attention.block_size

    def copy_blocks(self, copies: list[tuple[int, int]]) -> None:
        self._attention.copy_blocks(copies)

    def clear_blocks(self, blocks: list[int]) -> None:
        self._attention.clear_blocks(blocks)

    @property
    def hidden_states(self) -> Tensor:
        """The last batch's rows after the final norm, [num_tokens, hidden_size], in the model's dtype."""
        return self._hidden_states.rows

    @torch.inference_mode()
    def run(self, batch: Batch, logit_rows: list[int]) -> Tensor:
        """Compute the batch, filling its slots; return raw logits [len(logit_rows), vocab_size].

        The head runs on those rows alone.
        """
        token = current_attention.set(self._attention.plan(batch))
        adapters_token = current_adapters.set(batch.adapters)
        try:
            logits = self._decode(batch, logit_rows)
            return self._forward(batch, logit_rows) if logits is None else logits
        finally:
            current_adapters.reset(adapters_token)
            current_attention.reset(token)

    def _decode(self, batch: Batch, logit_rows: list[int]) -> Tensor | None:
        if self.decode_path is None or (rows := self.decode_path.hidden_states(batch)) is None:
            return None
        self._hidden_states.keep(rows)
        return self.decode_path.logits(rows, logit_rows)

    def _forward(self, batch: Batch, logit_rows: list[int]) -> Tensor:
        """Run the model's own forward, which may also transform its logits (soft-capping, scaling)."""
        output = self._model(
            input_ids=batch.input_ids[None],
            position_ids=batch.positions[None],
            use_cache=False,
            logits_to_keep=upload(logit_rows, self.device, torch.int64),
        )
        logits: Tensor = output.logits[0]
        return logits
