"""The reader of audio, by transformers' feature extractor of a model."""

from inspect import signature
from math import inf
from typing import Any

import numpy as np
from transformers import PreTrainedConfig

from engine.media.process.client import SHARED
from engine.media.readers.media_reader import CannotProcess, ReadFile
from engine.media.readers.whole_processor import WholeProcessor, digest_of


class AudioReader:
    """A `MediaReader` of audio."""

    def __init__(
        self,
        audio: Any,
        whole: WholeProcessor,
        config: PreTrainedConfig,
        *,
        max_seconds: float,
    ) -> None:
        """Make a reader of audio.

        audio: transformers' feature extractor, or one that computes no features.
        max_seconds: the longest sound, where the model reads longer ones.
        """
        self._whole = whole
        self._sampling_rate: int = audio.sampling_rate
        self._max_seconds = min(max_seconds, _longest(whole, audio))
        self.placeholder = whole.audio_token
        self.embedded_id: int = config.audio_token_id
        self.settings = digest_of(whole, audio)
        self._options: dict[str, Any] = {
            **(getattr(whole, "audio_kwargs", None) or {}),
            "sampling_rate": self._sampling_rate,
            "return_tensors": "np",
        }

    def read(self, data: bytes, *, is_alone: bool) -> ReadFile:
        """Return what becomes of a sound; see `MediaReader`."""
        samples = SHARED.read_audio(data, self._sampling_rate, self._max_seconds)
        try:
            found, texts = self._whole._process_audio([samples], **self._options)
        except Exception as error:  # extractors raise whatever they meet
            raise CannotProcess(f"the model's processor refuses the sound: {error}") from error
        # Some extractors make tensors, whatever they are asked for.
        arrays = {name: np.asarray(value) for name, value in found.items() if hasattr(value, "shape")}
        return ReadFile(texts[0], arrays)

    def plain(self, data: bytes) -> bytes:
        """Return a WAV file of the samples that the model gets; see `MediaReader`."""
        from engine.media.files.encoding import encode_wav  # PyAV, which a server needs for nothing else

        samples = SHARED.read_audio(data, self._sampling_rate, self._max_seconds)
        return encode_wav(samples, self._sampling_rate)


def _longest(whole: WholeProcessor, audio: Any) -> float:
    """Return the seconds of the longest sound that a model's processor does not cut off without a word."""
    if (longest := getattr(whole, "max_audio_len", None)) is not None:
        return float(longest)
    options = signature(audio.__call__).parameters
    if options["truncation"].default is False:  # Qwen3-ASR's
        return inf
    if (window := getattr(audio, "chunk_length", None)) is not None:  # Whisper's
        return float(window)
    cut_off: int = options["max_length"].default  # Gemma's
    return cut_off / float(audio.sampling_rate)
