"""The fast path for steps whose rows all decode, without the modelling code around the layers.

If one stack computes all layers, four other calls remain: the embedding, the rotary embedding, the final norm
and the head. transformers' forward adds a millisecond to them, since its code and data are no longer in the
caches.
"""

from torch import Tensor, nn

from engine.attention.batch import Batch
from engine.fusion.decoder_stack import DecoderStack


class DecodeFastPath:
    """A `DecodePath` made of a model's own modules by `install_fast_path`.

    embedding: maps ids to the first layer's input. rotary: maps that and positions to cosine and sine. norm:
    the final norm. head: maps its rows to logits.
    """

    def __init__(
        self, embedding: nn.Module, rotary: nn.Module, stack: DecoderStack, norm: nn.Module, head: nn.Module
    ) -> None:
        self._embedding = embedding
        self._rotary = rotary
        self._stack = stack
        self._norm = norm
        self._head = head

    def hidden_states(self, batch: Batch) -> Tensor | None:
        """Return the rows after the final norm, [num_rows, hidden_size]; None to decline the batch.

        Call it under `current_attention` and `current_adapters`.
        """
        has_adapters = batch.adapters is not None
        if batch.chunks or not self._stack.takes(len(batch.input_ids), has_adapters=has_adapters):
            return None
        residual: Tensor = self._embedding(batch.input_ids[None])
        # Rows of text have the same position on all axes.
        positions = batch.positions if batch.rope_positions is None else batch.rope_positions[0]
        output = self._stack.compute(residual, *self._rotary(residual, positions[None]))
        if output is None:
            return None
        rows: Tensor = self._norm(output)
        return rows[0]

    def logits(self, hidden_states: Tensor, rows: list[int]) -> Tensor:
        """Return raw logits [len(rows), vocab_size] of these rows."""
        if rows != list(range(len(hidden_states))):
            hidden_states = hidden_states[rows]
        logits: Tensor = self._head(hidden_states[None])
        return logits[0]
