"""The runner of a transformers model on batches of scheduled tokens."""

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

import torch
from torch import Tensor
from transformers import PreTrainedModel

from engine.attention.backend import AttentionBackend
from engine.attention.batch import Batch
from engine.attention.paged_attention import current_attention
from engine.host.transfers import upload
from engine.media.encoder import EncodedRows, LoadedMedia, place_rows
from engine.model.adaptation.rope_by_row import current_long_rows
from engine.model.adapters import AdaptedRows, JoinedAdapters, current_adapters
from engine.model.hidden_states import HiddenStates
from engine.model.media_inputs import (
    add_deeper_rows,
    current_deeper_rows,
    embed_media_tokens,
    layer_embeddings,
    pad_placeholders,
)
from engine.state.by_sequence import StateRows, current_states
from engine.state.store import StateStore


class DecodePath(Protocol):
    """A replacement of the model's forward pass in decoding steps, with the same result.

    Both methods are called under `current_attention` and `current_adapters`.
    """

    def hidden_states(self, batch: Batch) -> Tensor | None:
        """Return the input of the model's head, [num_rows, hidden_size]; None to decline the batch.

        A batch with adapters must be declined unless the path applies them in place of the modules that it
        leaves out.
        """

    def logits(self, hidden_states: Tensor, rows: list[int]) -> Tensor:
        """Return raw logits [len(rows), vocab_size] of these rows of `hidden_states`."""


class Recordings(Protocol):
    """Steps that were recorded for some sizes of batches, which take the place of the model's forward."""

    def run(self, batch: Batch, logit_rows: list[int]) -> tuple[Tensor, Tensor] | None:
        """Compute a batch that is still on the host; None to decline it.

        Returns its hidden states [num_rows, hidden_size] and raw logits [len(logit_rows), vocab_size].
        """


class ModelRunner:
    """A transformers model, its attention backend, and the states of its recurrent layers if it has any.

    states: those of its recurrent layers; set before a batch runs, as they take what is left of the memory.
    is_stepwise: whether recurrent layers compute a chunk that continues a sequence token by token.
    media: what reads the model's media; None for a model that reads only text.
    decode_path: computes batches whose rows all decode; None to use the model's own forward for these too.
    recordings: compute what they take, before all else; None on a CPU, which records nothing.
    """

    def __init__(
        self,
        model: PreTrainedModel,
        attention: AttentionBackend,
        states: StateStore | None = None,
        media: LoadedMedia | None = None,
    ) -> None:
        self._model = model
        self._attention = attention
        self.states = states
        self._arguments = inspect.signature(model.forward).parameters
        self._hidden_states = HiddenStates(model)
        self._joined_adapters = JoinedAdapters()
        self.media = media
        self._failed_media: frozenset[bytes] = frozenset()
        if media is not None:
            add_deeper_rows(model)
            pad_placeholders(model, media.encoder.config)
            embed_media_tokens(model, media.encoder)
        self.is_stepwise = False
        self.decode_path: DecodePath | None = None
        self.recordings: Recordings | None = None

    @property
    def model(self) -> PreTrainedModel:
        return self._model

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

    def forget_adapters(self) -> None:
        """Release what is kept of the adapters of earlier batches."""
        self._joined_adapters.forget()

    def copy_blocks(self, copies: list[tuple[int, int]]) -> None:
        self._attention.copy_blocks(copies)

    @property
    def num_slots(self) -> int | None:
        """The number of slots for recurrent states; None for a model without such states."""
        return None if self.states is None else self.states.num_slots

    def copy_states(self, copies: list[tuple[int, int]]) -> None:
        assert self.states is not None, "there are no states without recurrent layers"
        self.states.copy(copies)

    def release_states(self, slots: list[int]) -> None:
        """Do nothing: slots have their memory whether sequences own them or not."""

    def clear_blocks(self, blocks: list[int]) -> None:
        self._attention.clear_blocks(blocks)

    @property
    def hidden_states(self) -> Tensor:
        """The last batch's rows after the final norm, [num_tokens, hidden_size], in the model's dtype."""
        return self._hidden_states.rows

    @property
    def failed_media(self) -> frozenset[bytes]:
        """The digests of the last batch's media that could not be encoded."""
        return self._failed_media

    @torch.inference_mode()
    def run(self, batch: Batch, logit_rows: list[int]) -> Tensor:
        """Compute the batch, filling its slots; return raw logits [len(logit_rows), vocab_size].

        The head runs only on those rows. Tokens of media that cannot be encoded keep their own embeddings.
        """
        self._failed_media = frozenset()
        if self.recordings is not None and (replayed := self.recordings.run(batch, logit_rows)) is not None:
            self._hidden_states.keep(replayed[0])
            return replayed[1]
        batch = batch.on(self.device)
        states = None if self.states is None else StateRows(batch, self.states, is_stepwise=self.is_stepwise)
        token = current_attention.set(self._attention.plan(batch))
        adapters_token = current_adapters.set(
            None
            if batch.adapters is None
            else AdaptedRows(batch.adapters, self.device, self._joined_adapters)
        )
        states_token = current_states.set(states)
        long_token = current_long_rows.set(batch.long_rows)
        try:
            logits = self._decode(batch, logit_rows)
            logits = self._forward(batch, logit_rows) if logits is None else logits
            if states is not None:
                states.keep_ends()
            return logits
        finally:
            current_long_rows.reset(long_token)
            current_states.reset(states_token)
            current_adapters.reset(adapters_token)
            current_attention.reset(token)

    def _decode(self, batch: Batch, logit_rows: list[int]) -> Tensor | None:
        if self.decode_path is None or (rows := self.decode_path.hidden_states(batch)) is None:
            return None
        self._hidden_states.keep(rows)
        return self.decode_path.logits(rows, logit_rows)

    def _forward(self, batch: Batch, logit_rows: list[int]) -> Tensor:
        """Run the model's own forward, which may also transform its logits (soft-capping, scaling)."""
        # Mamba has no positions.
        positions = {"position_ids": _position_ids(batch)} if "position_ids" in self._arguments else {}
        with self._embedded(batch) as inputs:
            output = self._model(
                **inputs,
                **positions,
                use_cache=False,
                logits_to_keep=upload(logit_rows, self.device, torch.int64),
            )
        logits: Tensor = output.logits[0]
        return logits

    @contextmanager
    def _embedded(self, batch: Batch) -> Iterator[dict[str, Tensor]]:
        """Yield the input of the model's forward: ids, or their embeddings where media take some of these."""
        media = self.media
        if media is None or not (encoded := self._encode(batch)):
            yield {"input_ids": batch.input_ids[None]}
            return
        spans = [rows for rows in batch.media if rows.media.digest in encoded]
        placed = place_rows(spans, encoded, self.device)
        embeddings: Tensor = self._model.get_input_embeddings()(batch.input_ids[None])
        embeddings[0, placed.indices] = placed.encoded.rows.to(embeddings.dtype)
        token = current_deeper_rows.set(placed)
        try:
            yield {
                "inputs_embeds": embeddings,
                **layer_embeddings(self._model, media.encoder.config, batch.input_ids, placed.indices),
            }
        finally:
            current_deeper_rows.reset(token)

    def _encode(self, batch: Batch) -> dict[bytes, EncodedRows]:
        """Return the encoder's rows for the media of a batch, by digest, and note those that failed."""
        if not batch.media:
            return {}
        assert self.media is not None, "admission refuses media for a model that reads none"
        encoded = self.media.encoder.encode([rows.media for rows in batch.media])
        self._failed_media = frozenset(rows.media.digest for rows in batch.media) - encoded.keys()
        return encoded


def _position_ids(batch: Batch) -> Tensor:
    """Return the positions of the rows, [1, num_tokens], or [num_axes, 1, num_tokens]."""
    return batch.positions[None] if batch.rope_positions is None else batch.rope_positions[:, None]
