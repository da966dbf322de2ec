"""The reader of audio for a model that transcribes: files in, windows of features out."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from engine.media.files.cannot_decode import CannotDecode
from engine.media.process.client import SHARED
from engine.port.errors import InvalidMedia, ModelNotSupported
from engine.port.info.speech_info import SpeechInfo
from engine.port.request import Media, MediaKind
from engine.speech.log_mel import LogMel, energy_levels
from engine.speech.token_times import token_times

# The key of `Media.features`: float32 [num_bands, window_frames].
WINDOW: Final = "window"


@dataclass(frozen=True, slots=True)
class SpeechAudio:
    """A `Sound`. features: float32 [num_bands, num_frames]. window_frames: as of `SpeechInfo`."""

    features: Tensor
    duration: float
    window_frames: int

    @property
    def num_frames(self) -> int:
        return self.features.shape[1]

    def window(self, start: int, end: int) -> Media:
        """Return the medium of a prompt that hears the sound between these frames, as much as is heard at
        once, with zeros after the end."""
        part = self.features[:, start : min(end, start + self.window_frames)]
        window = functional.pad(part, (0, self.window_frames - part.shape[1])).contiguous()
        digest = hashlib.sha256(window.numpy().tobytes()).digest()
        # It takes no token's place; the first token is the one with which the encoder must have run.
        return Media(digest=digest, position=0, num_tokens=1, kind=MediaKind.AUDIO, features={WINDOW: window})

    def levels(self) -> NDArray[np.float32]:
        """Return the loudness of each frame in decibels, [num_frames]; see `Sound`."""
        return energy_levels(self.features)


class WindowReader:
    """A `SpeechReader` over transformers' feature extractor of a model. Any thread may call its methods."""

    def __init__(self, directory: Path, info: SpeechInfo) -> None:
        """Load it. Raises ModelNotSupported."""
        # transformers' modules for audio are imported where one is read.
        from transformers import WhisperFeatureExtractor

        self._info = info
        try:
            extractor: Any = WhisperFeatureExtractor.from_pretrained(directory, local_files_only=True)
        except Exception as error:  # whatever a file that describes no extractor brings up
            raise ModelNotSupported(
                f"{directory} has no feature extractor that can be used: {error}"
            ) from error
        if extractor.feature_size != info.num_bands:
            raise ModelNotSupported(
                f"{directory}: the feature extractor makes {extractor.feature_size} bands, and the model "
                f"takes {info.num_bands}"
            )
        self._log_mel = LogMel(extractor)

    @property
    def info(self) -> SpeechInfo:
        """The facts about the model."""
        return self._info

    def read(self, data: bytes, max_seconds: float) -> SpeechAudio:
        """Return the sound in a file. Raises InvalidMedia for one that cannot be read or that is longer."""
        try:
            samples = SHARED.read_audio(data, self._info.sampling_rate, max_seconds)
        except CannotDecode as error:
            raise InvalidMedia(0, str(error)) from error
        if len(samples) < self._log_mel.hop:
            raise InvalidMedia(0, "the sound is empty")
        duration = len(samples) / self._info.sampling_rate
        return SpeechAudio(self._log_mel(samples), duration, self._info.window_frames)

    def token_times(self, weights: NDArray[np.float32]) -> tuple[float, ...]:
        """Return when each token begins; see `SpeechReader`."""
        return token_times(weights, self._info.median_width)
