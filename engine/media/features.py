"""The methods of a model's modules that turn tensors into rows for its decoder, by kind."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import torch
from torch import Tensor
from transformers import PreTrainedModel
from transformers.masking_utils import create_bidirectional_mask
from transformers.modeling_outputs import BaseModelOutputWithPooling

from engine.media.families import FAMILIES
from engine.request import MediaKind

_METHODS: Final[Mapping[MediaKind, str]] = {
    MediaKind.IMAGE: "get_image_features",
    MediaKind.AUDIO: "get_audio_features",
    MediaKind.VIDEO: "get_video_features",
}


def feature_method(holder: PreTrainedModel, kind: MediaKind) -> Callable[..., Any]:
    """Return the method that computes the rows of media of a kind.

    Its output has them in `pooler_output`; where it also has `attention_mask`, some of them are padding.
    """
    if holder.config.model_type == "qwen2_audio":
        return _Qwen2AudioFeatures(holder)
    if kind is MediaKind.VIDEO and FAMILIES[holder.config.model_type].shows_frames_as_images:
        kind = MediaKind.IMAGE
    method: Callable[..., Any] = getattr(holder, _METHODS[kind])
    return method


class _Qwen2AudioFeatures:
    """The rows of sounds of Qwen2-Audio, which its own class computes in its forward alone."""

    def __init__(self, holder: PreTrainedModel) -> None:
        self._holder: Any = holder

    def __call__(
        self, input_features: Tensor, feature_attention_mask: Tensor, return_dict: bool
    ) -> BaseModelOutputWithPooling:
        """input_features: [num_sounds, num_bands, num_frames].

        feature_attention_mask: [num_sounds, num_frames].
        """
        tower = self._holder.audio_tower
        num_frames, num_rows = tower._get_feat_extract_output_lengths(feature_attention_mask.sum(-1))
        # The second convolution halves the frames; the pooling behind the layers halves them again.
        places = torch.arange((input_features.shape[-1] - 2) // 2 + 1, device=input_features.device)
        mask = create_bidirectional_mask(
            config=tower.config,
            inputs_embeds=input_features.new_zeros(len(input_features), len(places), 1),
            attention_mask=(places < num_frames[:, None]).long(),
        )
        states: Tensor = tower(input_features, attention_mask=mask).last_hidden_state
        rows: Tensor = self._holder.multi_modal_projector(states)
        is_valid = torch.arange(rows.shape[1], device=rows.device) < num_rows[:, None]
        return BaseModelOutputWithPooling(pooler_output=rows[is_valid])
