"""The runner of the fallback path, which computes the sequences of a batch one by one."""

import torch
from torch import Tensor
from transformers import PreTrainedModel

from engine.attention.batch import Batch, Span
from engine.attention.paged_attention import EAGER
from engine.host.transfers import upload
from engine.model.adaptation.rope_by_row import current_long_rows
from engine.model.fallback.own_cache import CachedModel, OwnCache
from engine.model.hidden_states import HiddenStates
from engine.scheduling.sequence import Sequence
from engine.speech.encoder import LoadedSpeech


class FallbackRunner:
    """A transformers model, with its own cache for each sequence that runs, by the slot of that sequence.

    The caches take memory as sequences grow. The scheduler's blocks stand for it: they are counted, and hold
    nothing. No two sequences may share blocks, since each cache is whole.

    is_stepwise: whether a chunk that continues a sequence is computed token by token. speech: the parts of a
    model that transcribes; None for others.
    """

    def __init__(self, model: PreTrainedModel, block_size: int, speech: LoadedSpeech | None = None) -> None:
        """Let the model attend by its own code. Raises ModelNotSupported if it takes no cache."""
        if model.config._attn_implementation != EAGER:
            model.set_attn_implementation(EAGER)
        self._model = model
        self._block_size = block_size
        self._hidden_states = HiddenStates(model)
        self._cached = CachedModel(model)
        self._caches: dict[int, OwnCache] = {}
        self.is_stepwise = False
        self.speech = speech

    @property
    def device(self) -> torch.device:
        device: torch.device = self._model.device
        return device

    @property
    def block_size(self) -> int:
        return self._block_size

    def cache_of(self, slot: int) -> OwnCache:
        """Return the cache of the sequence with this slot."""
        return self._caches[slot]

    def copy_blocks(self, copies: list[tuple[int, int]]) -> None:
        raise AssertionError("no two sequences share a block, so none is copied before it is written")

    def clear_blocks(self, blocks: list[int]) -> None:
        """Do nothing, since blocks hold nothing."""

    @torch.inference_mode()
    def copy_states(self, copies: list[tuple[int, int]]) -> None:
        for source, destination in copies:
            self._caches[destination] = self._caches[source].copy()

    def release_states(self, slots: list[int]) -> None:
        for slot in slots:
            self._caches.pop(slot, None)  # a sequence may end before it is first computed

    @property
    def hidden_states(self) -> Tensor:
        """The last batch's rows after the final norm, [num_tokens, hidden_size], in the model's dtype."""
        return self._hidden_states.rows

    @property
    def failed_media(self) -> frozenset[bytes]:
        """None: an encoder that fails for a window of sound fails its step."""
        return frozenset()

    @torch.inference_mode()
    def run(self, batch: Batch, logit_rows: list[int]) -> Tensor:
        """Compute the batch; return raw logits [len(logit_rows), vocab_size]."""
        assert batch.adapters is None, "no adapter is loaded"
        assert not batch.drafted, "a cache cannot be taken back, so nothing is drafted"
        batch, wanted = batch.on(self.device), set(logit_rows)
        encoded = self._encode(batch)
        logits, hidden_states, places = list[Tensor](), list[Tensor](), dict[int, int]()
        for entry, span in zip(batch.entries, batch.spans, strict=True):
            assert entry.sequence.slot is not None, "a sequence that runs owns a slot"
            cache = self._continued(entry.sequence.slot, span)
            audio = encoded.get(entry.sequence)
            for part in self._parts(span):
                rows = [row for row in range(part.start, part.stop) if row in wanted]
                places.update({row: len(places) + index for index, row in enumerate(rows)})
                chosen = upload([row - part.start for row in rows], self.device, torch.int64)
                logits.append(self._compute(batch, cache, part, chosen, audio))
                hidden_states.append(self._hidden_states.rows)
        self._hidden_states.keep(torch.cat(hidden_states))
        order = upload([places[row] for row in logit_rows], self.device, torch.int64)
        return torch.cat(logits)[order]

    def _encode(self, batch: Batch) -> dict[Sequence, Tensor]:
        """Return the encoder's output of the sequences that begin here and are about a sound."""
        heard = {
            entry.sequence: entry.sequence.media[0]
            for entry, span in zip(batch.entries, batch.spans, strict=True)
            if span.start == 0 and entry.sequence.media
        }
        if self.speech is None or not heard:
            return {}
        encoded = self.speech.encoder.encode(list(heard.values()))
        return {sequence: encoded[window.digest] for sequence, window in heard.items()}

    def _compute(
        self, batch: Batch, cache: OwnCache, part: slice, chosen: Tensor, audio: Tensor | None
    ) -> Tensor:
        long_rows = None if batch.long_rows is None else batch.long_rows[part]
        token = current_long_rows.set(long_rows)
        try:
            return self._cached.compute(cache, batch.input_ids[part], chosen, audio)
        finally:
            current_long_rows.reset(token)

    def _continued(self, slot: int, span: Span) -> OwnCache:
        if span.start == 0:
            self._caches[slot] = self._cached.new_cache()
        cache = self._caches[slot]
        assert cache.num_tokens == span.start, "a cache holds the tokens before those that are computed"
        return cache

    def _parts(self, span: Span) -> list[slice]:
        """Return the rows that are computed at once, in order."""
        end = span.row + span.num_tokens
        if not self.is_stepwise or span.start == 0:
            return [slice(span.row, end)]
        return [slice(row, row + 1) for row in range(span.row, end)]
