"""The texts of media for models whose processor in transformers needs packages that are not installed."""

from collections.abc import Callable, Mapping
from math import inf
from typing import Any, Final

from transformers import PreTrainedConfig

from engine.text.tokenizer import Tokenizer


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

    A sound of any length is read in windows, the last of which is filled with silence.
    """

    max_audio_len = inf

    def __init__(
        self, config: PreTrainedConfig, settings: dict[str, Any], tokenizer: Tokenizer, **parts: Any
    ) -> None:
        audio: Any = config.audio_config
        self.audio_token = tokenizer.token_text(config.audio_token_id)
        self.tokens_of_window: int = audio.max_source_positions * audio.hidden_size // audio.intermediate_size
        self.feature_extractor = parts["sounds"]
        from transformers.models.voxtral.processing_voxtral import VoxtralProcessor  # which imports torch

        self.audio_kwargs = VoxtralProcessor.audio_kwargs
        self._retrieve: Any = VoxtralProcessor._retrieve_input_features

    def _process_audio(self, audio: Any, **options: Any) -> tuple[dict[str, Any], list[str]]:
        features = self._retrieve(self, audio, **options)
        return {"input_features": features}, [self.audio_token * self.tokens_of_window * len(features)]


# By the name of transformers' class.
OWN_TEXTS: Final[Mapping[str, Callable[..., Any]]] = {
    "PixtralProcessor": PixtralTexts,
    "VoxtralProcessor": VoxtralTexts,
}
