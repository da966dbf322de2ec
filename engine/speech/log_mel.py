"""The features of a sound: the logarithms of its energy in bands of the mel scale, in bounded memory."""

from collections.abc import Iterator
from math import log
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from engine.port.errors import ModelNotSupported

# Frames that are transformed at once, so that an hour of sound takes no more memory besides than half a
# minute.
_MAX_FRAMES: Final = 3000
_FLOOR: Final = 1e-10  # of an energy
_RANGE: Final = 8.0  # decades below the loudest, beyond which all is silence
_SHIFT: Final = 4.0  # of the logarithms, which are divided by it then


class LogMel:
    """Makes the features that transformers' `WhisperFeatureExtractor` makes, part after part.

    hop: the samples from one frame to the next.
    """

    def __init__(self, extractor: Any) -> None:
        """Take the settings of the model's extractor. Raises ModelNotSupported if it adds noise."""
        if getattr(extractor, "dither", 0.0):
            raise ModelNotSupported(
                "the model's feature extractor adds noise (dither), which is not done here"
            )
        self.hop: int = extractor.hop_length
        self._num_samples: int = extractor.n_fft
        self._filters = torch.from_numpy(extractor.mel_filters).to(torch.float32).T.contiguous()
        self._window = torch.hann_window(self._num_samples)

    def __call__(self, samples: NDArray[np.float32]) -> Tensor:
        """Return the features [num_bands, num_samples // hop] float32 of a sound of at least one hop.

        A last part shorter than a hop has no frame of its own.
        """
        bands = torch.cat(list(self._parts(torch.from_numpy(samples))), dim=1)
        bands = bands.maximum(bands.max() - _RANGE)
        return bands.add_(_SHIFT).div_(_SHIFT)

    @torch.inference_mode()
    def _parts(self, samples: Tensor) -> Iterator[Tensor]:
        """Yield the logarithms of the energies of up to _MAX_FRAMES frames, [num_bands, num_frames]."""
        half = self._num_samples // 2
        num_frames = len(samples) // self.hop
        mode = "reflect" if len(samples) > half else "constant"
        padded = functional.pad(samples[None], (half, half), mode=mode)[0]
        for start in range(0, num_frames, _MAX_FRAMES):
            end = min(start + _MAX_FRAMES, num_frames)
            part = padded[start * self.hop : (end - 1) * self.hop + self._num_samples]
            spectrum = torch.stft(
                part, self._num_samples, self.hop, window=self._window, center=False, return_complex=True
            )
            yield (self._filters @ spectrum.abs().square_()).clamp_(min=_FLOOR).log10_()


@torch.inference_mode()
def energy_levels(features: Tensor) -> NDArray[np.float32]:
    """Return the energy of each frame over all bands in decibels, [num_frames], of features as `LogMel` makes
    them, [num_bands, num_frames]. What is far below the loudest part is as loud as silence.
    """
    parts = (
        (part * _SHIFT - _SHIFT).mul_(log(10)).logsumexp(0)
        for part in torch.split(features, _MAX_FRAMES, dim=1)
    )
    levels: NDArray[np.float32] = torch.cat(list(parts)).mul_(10 / log(10)).numpy()
    return levels
