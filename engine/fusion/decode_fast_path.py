"""A step whose rows all decode, without the modelling code around its layers.

Where one stack computes all layers, four calls are left of a model: an embedding, positions, a norm and a
head. transformers' forward takes a millisecond around them, as products have emptied the caches.
"""

from torch import Tensor, nn

from engine.attention.batch import Batch
from engine.fusion.decoder_stack import DecoderStack


class DecodeFastPath:
    """Made by `install_fast_path`, of a model's own modules.

    embedding: of ids; what the first layer is given. rotary: that and positions -> cosine, sine. norm: of
    what the last layer returns; head: of its rows.
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
        """[num_rows, hidden_size], after the norm; None where layers shall be computed by themselves.

        To be called under `current_attention`.
        """
        if batch.chunks or not self._stack.takes(len(batch.input_ids)):
            return None
        residual: Tensor = self._embedding(batch.input_ids[None])
        output = self._stack.compute(residual, *self._rotary(residual, batch.positions[None]))
        if output is None:
            return None
        rows: Tensor = self._norm(output)
        return rows[0]

    def logits(self, hidden_states: Tensor, rows: list[int]) -> Tensor:
        """[len(rows), vocab_size], raw, of these rows."""
        if rows != list(range(len(hidden_states))):
            hidden_states = hidden_states[rows]
        logits: Tensor = self._head(hidden_states[None])
        return logits[0]
