"""The texts of media for models whose processor in transformers needs torch, which a front does not have."""

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from transformers import PreTrainedConfig

from engine.port.text.tokenizer import Tokenizer

_TOKENS_OF_CHUNK: Final = 13  # of Qwen3-ASR, whatever its chunks


class PixtralTexts:
    """The text of an image's tokens for Pixtral and Mistral 3, whose processor needs torchvision to import.

    A row of patches ends with a token of its own, and the last one with another.
    """

    def __init__(
        self, config: PreTrainedConfig, settings: dict[str, Any], tokenizer: Tokenizer, **parts: Any
    ) -> None:
        vision: Any = config.vision_config
        merged = settings.get("spatial_merge_size", getattr(config, "spatial_merge_size", 1))
        self.patch_size: int = settings.get("patch_size", vision.patch_size) * merged
        self.image_token: str = settings.get("image_token", "[IMG]")
        self.row_end: str = settings.get("image_break_token", "[IMG_BREAK]")
        self.end: str = settings.get("image_end_token", "[IMG_END]")
        self.own_options = {"patch_size": self.patch_size}

    def replace_image_token(self, found: Any, image_idx: int) -> str:
        height, width = (int(side) // self.patch_size for side in found["image_sizes"][image_idx])
        row = self.image_token * width
        return self.row_end.join([row] * height) + self.end


class VoxtralTexts:
    """The text of a sound's tokens for Voxtral, whose processor leaves it to Mistral's own tokenizer.

    A sound of any length is read in windows, the last of which is filled with silence. Their features are
    taken apart here, as its processor does it with torch.
    """

    max_audio_len = inf

    def __init__(
        self, config: PreTrainedConfig, settings: dict[str, Any], tokenizer: Tokenizer, **parts: Any
    ) -> None:
        audio: Any = config.audio_config
        self.audio_token = tokenizer.token_text(config.audio_token_id)
        self.tokens_of_window: int = audio.max_source_positions * audio.hidden_size // audio.intermediate_size
        self.feature_extractor = parts["audio"]
        from transformers.models.voxtral.processing_voxtral import VoxtralProcessor

        self.audio_kwargs = VoxtralProcessor.audio_kwargs

    def _process_audio(
        self, audio: Sequence[NDArray[np.float32]], *, max_source_positions: int, **options: Any
    ) -> tuple[dict[str, Any], list[str]]:
        (samples,) = audio
        found: NDArray[np.float32] = self.feature_extractor(samples, **options)["input_features"]
        windows = found.reshape(found.shape[1], -1, max_source_positions).swapaxes(0, 1)
        return {"input_features": windows}, [self.audio_token * self.tokens_of_window * len(windows)]


def process_windows(
    processor: Any, audio: Sequence[NDArray[np.float32]], **options: Any
) -> tuple[dict[str, Any], list[str]]:
    """Return the features of one sound, read in windows, and the text of its tokens.

    It takes the place of a method of Audio Flamingo 3 and GLM-ASR that needs torch, and would cut off what
    no whole window holds of the longest sound.
    """
    (samples,) = audio
    length = int(options["sampling_rate"] * processor.feature_extractor.chunk_length)
    windows = [samples[start : start + length] for start in range(0, len(samples), length)]
    found = processor.feature_extractor(windows, **options)
    mask = found["attention_mask"]
    num_tokens: int = processor._get_audio_token_length(int(mask.sum()))
    features = {"input_features": found["input_features"], "input_features_mask": mask}
    return features, [processor.audio_token * num_tokens]


def count_tokens_of_chunks(
    processor: Any, num_frames: NDArray[np.integer], n_window: int = 50
) -> NDArray[np.integer]:
    """Return the tokens of audio with so many frames of a spectrum, as Qwen3-ASR's method does with torch.

    Chunks of two windows are encoded by themselves; three convolutions halve each.
    """
    num_chunks, rest = np.divmod(num_frames, 2 * n_window)
    for _ in range(3):
        rest = (rest - 1) // 2 + 1
    num_tokens: NDArray[np.integer] = rest + num_chunks * _TOKENS_OF_CHUNK
    return num_tokens


# By the name of transformers' class.
OWN_TEXTS: Final[Mapping[str, Callable[..., Any]]] = {
    "PixtralProcessor": PixtralTexts,
    "VoxtralProcessor": VoxtralTexts,
}
# Methods that take the place of a class's own, by its name.
OWN_METHODS: Final[Mapping[str, Mapping[str, Callable[..., Any]]]] = {
    **dict.fromkeys(("AudioFlamingo3Processor", "GlmAsrProcessor"), {"_process_audio": process_windows}),
    "Qwen3ASRProcessor": {"_get_audio_token_length": count_tokens_of_chunks},
}
