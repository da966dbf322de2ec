"""The loudness of a sound's frames, of its features."""

from typing import Any

import numpy as np
import pytest
from transformers import WhisperFeatureExtractor

from engine.speech.log_mel import LogMel, energy_levels
from tests.support.samples.sounds import RATE, tone


def test_levels_fall_as_amplitudes_do_and_no_further_than_silence() -> None:
    loud, quiet, silence = tone(1.0), tone(1.0) / 100, np.zeros(RATE, np.float32)
    extractor: Any = WhisperFeatureExtractor  # which has no annotations
    features = LogMel(extractor())(np.concatenate([loud, quiet, silence]))
    levels = energy_levels(features)
    assert levels.shape == (300,)
    assert levels.dtype == np.float32
    middles = levels[50], levels[150], levels[250]
    assert middles[0] - middles[1] == pytest.approx(40, abs=0.1)
    assert 55 < middles[0] - middles[2] <= 80
