"""Features that are not computed have the shapes and masks of those that are."""

from typing import Any

import numpy as np
import pytest
from transformers import WhisperFeatureExtractor
from transformers.models.gemma4.feature_extraction_gemma4 import Gemma4AudioFeatureExtractor

from engine.media.readers.feature_shapes import without_features
from tests.support.samples.sounds import tone

_whisper: Any = WhisperFeatureExtractor  # its annotations are partial


@pytest.mark.parametrize("lengths", [(0.5,), (2.0, 0.3), (1.23456,)])
@pytest.mark.parametrize(
    "options", [{}, {"padding": True, "truncation": False, "pad_to_multiple_of": 32_000}, {"padding": True}]
)
def test_shapes_and_masks_are_those_of_computed_features(
    lengths: tuple[float, ...], options: dict[str, Any]
) -> None:
    extractor = _whisper(feature_size=16, chunk_length=2)
    arguments: dict[str, Any] = {
        "sampling_rate": 16_000,
        "return_attention_mask": True,
        "return_tensors": "np",
        **options,
    }
    sounds = [tone(seconds) for seconds in lengths]
    computed, found = extractor(sounds, **arguments), without_features(extractor)(sounds, **arguments)
    assert found["input_features"].shape == computed["input_features"].shape
    assert not found["input_features"].any() and computed["input_features"].any()
    np.testing.assert_array_equal(found["attention_mask"], computed["attention_mask"])


def test_its_settings_are_the_same_and_the_extractor_itself_still_computes() -> None:
    extractor = _whisper(feature_size=16)
    assert without_features(extractor).to_json_string() == extractor.to_json_string()
    assert extractor(tone(0.1), sampling_rate=16_000)["input_features"][0].any()


def test_an_extractor_of_another_kind_stays_as_it_is() -> None:
    extractor = Gemma4AudioFeatureExtractor()
    assert without_features(extractor) is extractor
