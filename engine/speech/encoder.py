"""The encoder of audio: what a decoder attends to, remembered by the content of windows."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.host.transfers import upload
from engine.media.byte_cache import ByteCache
from engine.port.request import Media
from engine.speech.reader import WINDOW, WindowReader

if TYPE_CHECKING:
    from engine.speech.speech_model import SpeechModel  # imported where one is loaded


class LoadedSpeech(NamedTuple):
    """The parts of a model that transcribes: the reader in worker threads, the encoder in steps."""

    reader: WindowReader
    encoder: "AudioEncoder"

    def cross_weights(self, window: Media, token_ids: Sequence[int]) -> NDArray[np.float32]:
        """Return the weights with which the alignment heads attend to a window.

        token_ids: a prompt and its output. Returns [num_heads, num_tokens, num_positions].
        """
        model = self.encoder.model
        encoded = self.encoder.encode([window])[window.digest]
        ids = upload(list(token_ids), model.device, torch.int64)
        heads = self.reader.info.alignment_heads
        weights: NDArray[np.float32] = model.cross_weights(encoded, ids, heads).cpu().numpy()
        return weights


class AudioEncoder:
    """The encoder of a model that transcribes.

    model: that of which it is a part. cache: of its output, [1, num_positions, d_model], by the windows'
    digests; so that a window which is decoded again, or in which the language was found, is encoded once.
    num_encoded: windows that were computed, ever.
    """

    def __init__(self, model: "SpeechModel", *, max_cached_bytes: int) -> None:
        self.model = model
        self.cache: ByteCache[bytes, Tensor] = ByteCache(max_cached_bytes)
        self.num_encoded = 0

    def encode(self, windows: Sequence[Media]) -> dict[bytes, Tensor]:
        """Return the output for these windows by digest; those that are not remembered are computed at
        once."""
        encoded: dict[bytes, Tensor] = {}
        missing: dict[bytes, Media] = {}
        for window in windows:
            known = self.cache.get(window.digest)
            if known is None:
                missing[window.digest] = window
            else:
                encoded[window.digest] = known
        if missing:
            stacked = torch.stack([cast(Tensor, window.features[WINDOW]) for window in missing.values()])
            self.num_encoded += len(missing)
            for digest, output in zip(missing, torch.split(self.model.encode(stacked), 1), strict=True):
                # A copy, since a part of a tensor would keep the memory of the whole in the cache.
                encoded[digest] = output.clone() if len(missing) > 1 else output
                self.cache.put(digest, encoded[digest], output.nbytes)
        return encoded
