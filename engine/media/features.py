"""The methods of a model's modules that turn tensors into rows for its decoder, by kind."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import torch
from torch import Tensor
from transformers import PreTrainedModel
from transformers.masking_utils import create_bidirectional_mask
from transformers.modeling_outputs import BaseModelOutputWithPooling

from engine.media.families import FAMILIES
from engine.port.request import MediaKind

_METHODS: Final[Mapping[MediaKind, str]] = {
    MediaKind.IMAGE: "get_image_features",
    MediaKind.AUDIO: "get_audio_features",
    MediaKind.VIDEO: "get_video_features",
}


def feature_method(holder: PreTrainedModel, kind: MediaKind) -> Callable[..., Any]:
    """Return the method that computes the rows of media of a kind.

    Its output has them in `pooler_output`; where it also has `attention_mask`, some of them are padding.
    """
    if (own := _OWN.get((holder.config.model_type, kind))) is not None:
        return partial(own, holder)
    if kind is MediaKind.VIDEO and FAMILIES[holder.config.model_type].shows_frames_as_images:
        kind = MediaKind.IMAGE
    method: Callable[..., Any] = getattr(holder, _METHODS[kind])
    return method


def token_embeddings(holder: PreTrainedModel) -> tuple[int, Tensor] | None:
    """Return the first id of the vocabulary's end that a model embeds by its encoder, and the embeddings.

    They are [num_ids, hidden_size], of all ids from the first on; None for a model that has no such ids.
    """
    if holder.config.model_type != "gemma3n":
        return None
    parts: Any = holder
    tables = []
    for embedder in (parts.embed_vision, parts.embed_audio):
        first = embedder.vocab_offset
        ids = torch.arange(first, first + embedder.vocab_size, device=holder.device)
        tables.append(embedder(input_ids=ids))
    assert parts.embed_vision.vocab_offset + len(tables[0]) == parts.embed_audio.vocab_offset
    return parts.embed_vision.vocab_offset, torch.cat(tables)


def _gemma3n_audio(
    holder: Any, input_features: Tensor, input_features_mask: Tensor, return_dict: bool
) -> BaseModelOutputWithPooling:
    """Return the rows of audio of Gemma 3n, as many for each; its own class adds padding only in forward.

    input_features: [num_files, num_frames, num_bands].
    input_features_mask: bool [num_files, num_frames], which frames are no padding.
    """
    output = holder.get_audio_features(input_features, ~input_features_mask, return_dict=True)
    last_id = holder.config.get_text_config().vocab_size - 1
    padding: Tensor = holder.embed_audio(input_ids=torch.tensor([[last_id]], device=holder.device))
    rows = torch.where(output.audio_mel_mask[..., None], padding, output.pooler_output)
    num_missing = holder.config.audio_soft_tokens_per_image - rows.shape[1]
    rows = torch.cat((rows, padding.expand(len(rows), num_missing, -1)), dim=1)
    return BaseModelOutputWithPooling(pooler_output=rows)


def _llama4_images(holder: Any, pixel_values: Tensor, return_dict: bool) -> BaseModelOutputWithPooling:
    """Return the rows of images of Llama 4, which its own class projects only in its forward.

    pixel_values: [num_tiles, num_channels, height, width].
    """
    output = holder.get_image_features(pixel_values, return_dict=True)
    rows: Tensor = holder.multi_modal_projector(output.last_hidden_state)
    return BaseModelOutputWithPooling(pooler_output=rows)


def _mistral3_images(
    holder: Any, pixel_values: Tensor, image_sizes: Tensor, return_dict: bool
) -> BaseModelOutputWithPooling:
    """Return the rows of images of Mistral 3, whose own class fails if they are one row in all.

    Such an image is computed twice, and its first row is returned. pixel_values: [num_images, num_channels,
    height, width]. image_sizes: [num_images, 2], in pixels.
    """
    config = holder.config
    side = config.vision_config.patch_size * config.spatial_merge_size
    if int((image_sizes // side).prod(-1).sum()) > 1:
        found: BaseModelOutputWithPooling = holder.get_image_features(
            pixel_values, image_sizes, return_dict=True
        )
        return found
    pixels, sizes = pixel_values.repeat(2, 1, 1, 1), image_sizes.repeat(2, 1)
    rows: Any = holder.get_image_features(pixels, sizes, return_dict=True).pooler_output
    return BaseModelOutputWithPooling(pooler_output=rows[0])


def _qwen2_audio(
    holder: Any, input_features: Tensor, feature_attention_mask: Tensor, return_dict: bool
) -> BaseModelOutputWithPooling:
    """Return the rows of audio of Qwen2-Audio, which its own class computes only in its forward.

    input_features: [num_files, num_bands, num_frames].
    feature_attention_mask: [num_files, num_frames].
    """
    tower = holder.audio_tower
    num_frames, num_rows = tower._get_feat_extract_output_lengths(feature_attention_mask.sum(-1))
    # The second convolution halves the frames; the pooling after the layers halves them again.
    places = torch.arange((input_features.shape[-1] - 2) // 2 + 1, device=input_features.device)
    mask = create_bidirectional_mask(
        config=tower.config,
        inputs_embeds=input_features.new_zeros(len(input_features), len(places), 1),
        attention_mask=(places < num_frames[:, None]).long(),
    )
    states: Tensor = tower(input_features, attention_mask=mask).last_hidden_state
    rows: Tensor = holder.multi_modal_projector(states)
    is_valid = torch.arange(rows.shape[1], device=rows.device) < num_rows[:, None]
    return BaseModelOutputWithPooling(pooler_output=rows[is_valid])


# The rows that a model's own class has no method for, by its type and the kind.
_OWN: Final[Mapping[tuple[str, MediaKind], Callable[..., BaseModelOutputWithPooling]]] = {
    ("gemma3n", MediaKind.AUDIO): _gemma3n_audio,
    ("llama4", MediaKind.IMAGE): _llama4_images,
    ("mistral3", MediaKind.IMAGE): _mistral3_images,
    ("qwen2_audio", MediaKind.AUDIO): _qwen2_audio,
}
