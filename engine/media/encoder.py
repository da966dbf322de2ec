"""The encoder of a model's media: the rows that take the place of embeddings, remembered by content."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from inspect import signature
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from transformers import PreTrainedConfig, PreTrainedModel

from engine.attention.batch import MediaRows
from engine.host.limited_log import LimitedLog
from engine.media.byte_cache import ByteCache
from engine.media.features import feature_method, token_embeddings
from engine.media.processed_item import ARRAYS, EMBEDDED, Arrays
from engine.port.info.stats import MediaStats
from engine.port.request import Media, MediaKind

if TYPE_CHECKING:
    from engine.media.processor import PromptMediaProcessor

_failures = LimitedLog(logging.getLogger(__name__))


class EncodedRows(NamedTuple):
    """The encoder's output for one medium, or for some rows of a batch.

    rows: [num_embedded, hidden_size], the input of the first decoder layer. deeper: the numbers that are
    added to the outputs of the first decoder layers, one tensor of the same shape each (DeepStack, Meng et
    al. 2024, arXiv 2406.04334).
    """

    rows: Tensor
    deeper: tuple[Tensor, ...] = ()

    @property
    def num_bytes(self) -> int:
        """The memory that it takes."""
        return sum(tensor.nbytes for tensor in (self.rows, *self.deeper))

    def part(self, start: int, end: int) -> "EncodedRows":
        """Return the rows `start` to `end`."""
        return EncodedRows(self.rows[start:end], tuple(tensor[start:end] for tensor in self.deeper))


class MediaEncoder:
    """The modules of a model that read images and audio, apart from its language model.

    cache: of their output, by the media's digest. num_encoded: media that were computed, ever.
    """

    def __init__(self, holder: PreTrainedModel, kinds: Iterable[MediaKind], *, max_cached_bytes: int) -> None:
        """Find the model's methods.

        holder: a module with the model's methods for features, without its language model.
        kinds: the kinds of media that it reads.
        """
        self._holder: Any = holder
        self.cache: ByteCache[bytes, EncodedRows] = ByteCache(max_cached_bytes)
        self.num_encoded = 0
        self._computes = {kind: feature_method(holder, kind) for kind in kinds}
        self._arguments = {kind: signature(compute).parameters for kind, compute in self._computes.items()}
        for module in holder.children():
            if isinstance(module, PreTrainedModel):
                # Gemma's encoder of audio has attention of its own.
                module.set_attn_implementation("sdpa" if module._supports_sdpa else "eager")

    @property
    def config(self) -> PreTrainedConfig:
        """The configuration of the whole model."""
        config: PreTrainedConfig = self._holder.config
        return config

    @property
    def num_parameters(self) -> int:
        """The number of its parameters."""
        return sum(parameter.numel() for parameter in self._holder.parameters())

    @torch.no_grad()
    def token_embeddings(self) -> tuple[int, Tensor] | None:
        """Return the embeddings that it has for ids of the vocabulary's end; see `token_embeddings`."""
        return token_embeddings(self._holder)

    def to(self, device: torch.device, dtype: torch.dtype) -> None:
        """Move it to a device, and let it compute in a type; complex numbers of rotations keep theirs."""

        def move(tensor: Tensor) -> Tensor:
            return tensor.to(device, dtype) if tensor.is_floating_point() else tensor.to(device)

        nn.Module._apply(self._holder, move)  # type: ignore[no-untyped-call]  # torch leaves it untyped

    def encode(self, media: Sequence[Media]) -> dict[bytes, EncodedRows]:
        """Return the rows of these media by digest, without those for which the model's code raises.

        Those that are not remembered are computed, media of equal shapes at once; where that raises, each
        alone.
        """
        encoded: dict[bytes, EncodedRows] = {}
        missing: dict[bytes, Media] = {}
        for one in media:
            if one.digest not in encoded and one.digest not in missing:
                if (known := self.cache.get(one.digest)) is None:
                    missing[one.digest] = one
                else:
                    encoded[one.digest] = known
        self.num_encoded += len(missing)
        for group in self._groups(missing.values()):
            for one, rows in self._computed_apart(group):
                self.cache.put(one.digest, rows, rows.num_bytes)
                encoded[one.digest] = rows
        return encoded

    def _computed_apart(self, media: Sequence[Media]) -> list[tuple[Media, EncodedRows]]:
        """Return the rows of these media, of which those that fail are left out and do not disturb others."""
        try:
            return list(zip(media, self._compute(media), strict=True))
        except Exception:  # whatever the model's code raises for what its processor made
            if len(media) == 1:
                _failures.error("the encoder failed for one %s", media[0].kind.value, exc_info=True)
                return []
        return [found for one in media for found in self._computed_apart([one])]

    def _compute(self, media: Sequence[Media]) -> list[EncodedRows]:
        """Return the rows of media whose arrays can be joined along their first dimension."""
        joined = {
            name: self._received(np.concatenate([self._arrays(one)[name] for one in media]))
            for name in self._arrays(media[0])
        }
        output = self._computes[media[0].kind](**joined, return_dict=True)
        rows = _flat(output.pooler_output, getattr(output, "attention_mask", None))
        deeper = [_flat(features) for features in getattr(output, "deepstack_features", None) or ()]
        sizes = [int(_embedded(one).sum()) for one in media]
        if rows.shape[0] != sum(sizes):
            raise ValueError(f"the encoder gives {rows.shape[0]} rows for {sum(sizes)} tokens of media")
        # Copies, since a part of a tensor would keep the memory of the whole in the cache.
        parts = [torch.split(features, sizes) for features in (rows, *deeper)]
        if len(media) > 1:
            parts = [tuple(part.clone() for part in split) for split in parts]
        return [EncodedRows(first, tuple(others)) for first, *others in zip(*parts, strict=True)]

    def _groups(self, media: Iterable[Media]) -> Iterable[list[Media]]:
        """Return the media in groups of one kind, whose arrays differ only in their first dimension."""
        groups: dict[Any, list[Media]] = {}
        for one in media:
            shapes = tuple((name, array.shape[1:]) for name, array in self._arrays(one).items())
            groups.setdefault((one.kind, shapes), []).append(one)
        return groups.values()

    def _arrays(self, media: Media) -> Arrays:
        made = cast(Arrays, media.features[ARRAYS])
        return {name: array for name, array in made.items() if name in self._arguments[media.kind]}

    def _received(self, array: NDArray[Any]) -> Tensor:
        moved = torch.from_numpy(array).to(self._holder.device)
        return moved.to(self._holder.dtype) if moved.is_floating_point() else moved


class LoadedMedia(NamedTuple):
    """The readers of a model's media: the processor in worker threads, the encoder in steps."""

    processor: "PromptMediaProcessor"
    encoder: MediaEncoder

    def stats(self) -> MediaStats:
        """Return the current numbers of both caches. Any thread may call this."""
        return MediaStats(items=self.processor.cache.stats(), rows=self.encoder.cache.stats())


class PlacedRows(NamedTuple):
    """The encoder's output for the rows of a batch.

    indices: int64, the rows of the batch. encoded: for each of them, in the same order.
    """

    indices: Tensor
    encoded: EncodedRows


def place_rows(
    spans: Sequence[MediaRows], encoded: Mapping[bytes, EncodedRows], device: torch.device
) -> PlacedRows:
    """Return the encoder's rows for these rows of a batch, of which some may only separate."""
    indices: list[NDArray[np.int64]] = []
    parts: list[EncodedRows] = []
    for media, row, first, num_tokens in spans:
        is_embedded = _embedded(media)
        own = np.flatnonzero(is_embedded[first : first + num_tokens])
        num_before = int(is_embedded[:first].sum())
        indices.append(own + row)
        parts.append(encoded[media.digest].part(num_before, num_before + len(own)))
    deeper = tuple(torch.cat(layers) for layers in zip(*(part.deeper for part in parts), strict=True))
    rows = EncodedRows(torch.cat([part.rows for part in parts]), deeper)
    return PlacedRows(torch.from_numpy(np.concatenate(indices)).to(device), rows)


def _embedded(media: Media) -> NDArray[np.bool_]:
    return cast("NDArray[np.bool_]", media.features[EMBEDDED])


def _flat(features: Tensor | Sequence[Tensor], is_valid: Tensor | None = None) -> Tensor:
    """Return rows [num_rows, hidden_size] of one tensor for all media, or of one for each.

    is_valid: bool, which rows of a tensor [num_media, num_rows, hidden_size] are no padding; None: all.
    """
    if is_valid is not None and isinstance(features, Tensor):
        return features[is_valid]
    if isinstance(features, Tensor):
        return features.reshape(-1, features.shape[-1])
    return torch.cat([one.reshape(-1, one.shape[-1]) for one in features])
