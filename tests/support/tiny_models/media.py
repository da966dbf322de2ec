"""Tiny models of random weights that read images, with their processors, and images to show to them."""

import json
from collections.abc import Callable, Mapping
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from PIL import Image
from transformers import (
    AutoModelForImageTextToText,
    AyaVisionConfig,
    CLIPVisionConfig,
    Cohere2Config,
    Cohere2VisionConfig,
    DeepseekV3Config,
    DeepseekVLConfig,
    FastVlmConfig,
    Gemma2Config,
    Gemma3Config,
    Gemma4Config,
    GemmaConfig,
    GenerationConfig,
    Glm4vConfig,
    Glm4vMoeConfig,
    Glm46VConfig,
    GlmOcrConfig,
    Idefics3Config,
    InternVLConfig,
    Kimi_K25Config,
    Lfm2Config,
    Lfm2VlConfig,
    LightOnOcrConfig,
    Llama4Config,
    LlamaConfig,
    LlavaConfig,
    LlavaNextConfig,
    LlavaOnevisionConfig,
    Mistral3Config,
    MistralConfig,
    PaddleOCRVLConfig,
    PaliGemmaConfig,
    PerceptionLMConfig,
    PixtralVisionConfig,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    Qwen2_5_VLConfig,
    Qwen2Config,
    Qwen2VLConfig,
    Qwen3_5Config,
    Qwen3_5MoeConfig,
    Qwen3VLConfig,
    Qwen3VLMoeConfig,
    Siglip2VisionConfig,
    SiglipVisionConfig,
    SmolVLMConfig,
)
from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil
from transformers.models.deepseek_vl.image_processing_pil_deepseek_vl import DeepseekVLImageProcessorPil
from transformers.models.gemma3.image_processing_pil_gemma3 import Gemma3ImageProcessorPil
from transformers.models.gemma4.image_processing_pil_gemma4 import Gemma4ImageProcessorPil
from transformers.models.glm4v.image_processing_pil_glm4v import Glm4vImageProcessorPil
from transformers.models.glm46v.image_processing_pil_glm46v import Glm46VImageProcessorPil
from transformers.models.got_ocr2.image_processing_pil_got_ocr2 import GotOcr2ImageProcessorPil
from transformers.models.idefics3.image_processing_pil_idefics3 import Idefics3ImageProcessorPil
from transformers.models.llava.image_processing_pil_llava import LlavaImageProcessorPil
from transformers.models.llava_next.image_processing_pil_llava_next import LlavaNextImageProcessorPil
from transformers.models.llava_onevision.image_processing_pil_llava_onevision import (
    LlavaOnevisionImageProcessorPil,
)
from transformers.models.paddleocr_vl.image_processing_pil_paddleocr_vl import PaddleOCRVLImageProcessorPil
from transformers.models.pixtral.image_processing_pil_pixtral import PixtralImageProcessorPil
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil
from transformers.models.siglip.image_processing_pil_siglip import SiglipImageProcessorPil
from transformers.models.smolvlm.image_processing_pil_smolvlm import SmolVLMImageProcessorPil
from transformers.utils.import_utils import is_timm_available, is_torchvision_available

from tests.support.processors.lfm2_vl_images import PublishedLfm2VlImages
from tests.support.tiny_models.gemma3n import GEMMA3N_SETTINGS, gemma3n_config, gemma3n_images, gemma3n_sounds
from tests.support.tiny_models.sizes import (
    EYES,
    GEMMA4_EYES,
    PAD_ID,
    QWEN_EYES,
    THREE_AXES,
    gemma3_text,
    gemma4_text,
    text_sizes,
)
from tests.support.tiny_models.text import tiny_tokenizer

_TOKENS: dict[str, tuple[str, ...]] = {
    "tiles": ("<image>", "<fake_token_around_image>", "<global-img>", "<end_of_utterance>", "<video>")
    + tuple(f"<row_{row}_col_{column}>" for row in range(1, 4) for column in range(1, 4)),
    "internvl": ("<IMG_CONTEXT>", "<img>", "</img>", "<video>"),
    "llava": ("<image>", "<video>"),
    # Gemma has tokens for runs of line feeds.
    "gemma3": ("<start_of_image>", "<image_soft_token>", "<end_of_image>", "\n\n", "\n\n\n", "\n\n\n\n"),
    "gemma4": ("<start_of_image>", "<image_soft_token>", "<end_of_image>", "\n\n", "\n\n\n", "\n\n\n\n")
    + ("<|video|>",),
    "lfm2_vl": ("<image>", "<|image_start|>", "<|image_end|>", "<|img_thumbnail|>")
    + tuple(f"<|img_row_{row}_col_{column}|>" for row in range(1, 5) for column in range(1, 4 // row + 1)),
    "lighton_ocr": ("<|image_pad|>", "<|vision_pad|>", "<|vision_end|>"),
    "paddleocr_vl": ("<|IMAGE_PLACEHOLDER|>", "<|IMAGE_START|>", "<|IMAGE_END|>"),
    "qwen": ("<|image_pad|>", "<|video_pad|>", "<|vision_start|>", "<|vision_end|>"),
    "pixtral": ("[IMG]", "[IMG_BREAK]", "[IMG_END]"),
    "paligemma": ("<image>", "<bos>"),
    "aya_vision": ("<image>", "<|START_OF_IMG|>", "<|END_OF_IMG|>", "<|IMG_PATCH|>", "TILE_GLOBAL")
    + tuple(f"TILE_{place}" for place in range(1, 5)),
    "glm4v": ("<|image|>", "<|video|>", "<|begin_of_image|>", "<|end_of_image|>")
    + ("<|begin_of_video|>", "<|end_of_video|>"),
    "gemma3n": ("<start_of_image>", "\n\n", "\n\n\n", "\n\n\n\n", "<image_soft_token>", "<end_of_image>")
    + ("<start_of_audio>", "<audio_soft_token>", "<end_of_audio>"),
    "llama4": ("<|image|>", "<|image_start|>", "<|image_end|>", "<|patch|>")
    + ("<|tile_x_separator|>", "<|tile_y_separator|>"),
    "kimi_k25": ("<|media_pad|>", "<|media_begin|>", "<|media_content|>", "<|media_end|>")
    + ("<|kimi_k25_video_placeholder|>",),
    "cohere2_vision": ("<|IMG_PATCH|>", "<|START_OF_IMG|>", "<|END_OF_IMG|>", "<|IMG_LINE_BREAK|>"),
}
# All have as many tokens, so that all models know the same number.
_NUM_TOKENS = max(map(len, _TOKENS.values()))
_TOKENS = {
    name: (*tokens, *(f"<|spare_{place}|>" for place in range(_NUM_TOKENS - len(tokens))))
    for name, tokens in _TOKENS.items()
}
_SIZES = text_sizes(_NUM_TOKENS)
_SMALL = {**EYES, "image_size": 28, "patch_size": 7}
_QWEN_SIZES: dict[str, Any] = {"patch_size": 4, "min_pixels": 8 * 8, "max_pixels": 8 * 8 * 12}

_EXPERTS: dict[str, Any] = {"num_experts_per_tok": 2, "moe_intermediate_size": 32}
# The latent attention and the experts of DeepSeek V3.
_LATENT: dict[str, Any] = {
    "num_key_value_heads": 4,
    "q_lora_rank": 16,
    "kv_lora_rank": 16,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 8,
    "v_head_dim": 12,
    "n_routed_experts": 4,
    "n_group": 2,
    "topk_group": 1,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 16,
    "first_k_dense_replace": 1,
}
_RECURRENT: dict[str, Any] = {
    "head_dim": 16,
    "num_hidden_layers": 4,
    "layer_types": ["linear_attention", "full_attention"] * 2,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 8,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "rope_parameters": THREE_AXES["rope_parameters"] | {"partial_rotary_factor": 1.0},
}


class TinyFamily(NamedTuple):
    """One family. tokens: the key of its special tokens.

    config: made from the ids of these tokens by name. images: its image processor. settings: of the whole
    processor, with the name of its class. names: attributes of the tokenizer that name its tokens. sounds:
        its feature extractor, if it also hears.
    """

    tokens: str
    config: Callable[[Mapping[str, int]], PreTrainedConfig]
    images: Callable[[], Any]
    settings: dict[str, Any]
    names: dict[str, str] = {}
    sounds: Callable[[], Any] | None = None


def _tiles(config_class: Any) -> Callable[[Mapping[str, int]], PreTrainedConfig]:
    return lambda ids: config_class(
        text_config=LlamaConfig(**_SIZES), vision_config=_SMALL,
        image_token_id=ids["<image>"], scale_factor=2, pad_token_id=PAD_ID,
    )  # fmt: skip


_TILE_SIZES: dict[str, Any] = {"size": {"longest_edge": 56}, "max_image_size": {"longest_edge": 28}}
_QWEN_IDS = (("image_token_id", "<|image_pad|>"), ("video_token_id", "<|video_pad|>"))
_VISION_IDS = (("vision_start_token_id", "<|vision_start|>"), ("vision_end_token_id", "<|vision_end|>"))


def _qwen(
    config_class: Any, text: dict[str, Any], vision: dict[str, Any]
) -> Callable[[Mapping[str, int]], PreTrainedConfig]:
    return lambda ids: config_class(
        text_config=_SIZES | THREE_AXES | text,
        vision_config=vision,
        **{name: ids[token] for name, token in (*_QWEN_IDS, *_VISION_IDS)},
    )


def _gemma4(**text: Any) -> TinyFamily:
    return TinyFamily(
        "gemma4",
        lambda ids: Gemma4Config(
            text_config=gemma4_text(_SIZES) | text,
            vision_config=GEMMA4_EYES,
            audio_config=None,
            tie_word_embeddings=False,
            image_token_id=ids["<image_soft_token>"],
            video_token_id=ids["<|video|>"],
            boi_token_id=ids["<start_of_image>"],
            eoi_token_id=ids["<end_of_image>"],
        ),
        lambda: Gemma4ImageProcessorPil(patch_size=4, max_soft_tokens=70, pooling_kernel_size=2),
        {"processor_class": "Gemma4Processor"},
        {
            "boi_token": "<start_of_image>",
            "image_token": "<image_soft_token>",
            "eoi_token": "<end_of_image>",
            "audio_token": "<|spare_0|>",
            "boa_token": "<|spare_1|>",
            "eoa_token": "<|spare_2|>",
        },
    )


def _cohere2() -> Cohere2Config:
    layers = ["sliding_attention"] * 2 + ["full_attention"]
    return Cohere2Config(**_SIZES | {"sliding_window": 9, "layer_types": layers})


def _paligemma(text: PreTrainedConfig) -> TinyFamily:
    return TinyFamily(
        "paligemma",
        lambda ids: PaliGemmaConfig(
            text_config=text,
            vision_config=SiglipVisionConfig(**_SMALL, vision_use_head=False),
            image_token_index=ids["<image>"],
            projection_dim=64,
            hidden_size=64,
            tie_word_embeddings=False,
        ),
        lambda: SiglipImageProcessorPil(size={"height": 28, "width": 28}, image_seq_length=16),
        {"processor_class": "PaliGemmaProcessor"},
        {"image_token": "<image>", "bos_token": "<bos>"},
    )


def _glm(config_class: Any, text: dict[str, Any], images: Any, processor: str) -> TinyFamily:
    return TinyFamily(
        "glm4v",
        lambda ids: config_class(
            text_config=_SIZES | THREE_AXES | {"tie_word_embeddings": False} | text,
            vision_config=QWEN_EYES | {"image_size": 32},
            image_token_id=ids["<|image|>"],
            video_token_id=ids["<|video|>"],
            image_start_token_id=ids["<|begin_of_image|>"],
            image_end_token_id=ids["<|end_of_image|>"],
            video_start_token_id=ids["<|begin_of_video|>"],
            video_end_token_id=ids["<|end_of_video|>"],
        ),
        lambda: images(patch_size=4, size={"shortest_edge": 8 * 8, "longest_edge": 8 * 8 * 24}),
        {"processor_class": processor},
    )


MEDIA_FAMILIES: dict[str, TinyFamily] = {
    "smolvlm": TinyFamily(
        "tiles",
        _tiles(SmolVLMConfig),
        lambda: SmolVLMImageProcessorPil(**_TILE_SIZES),
        {"processor_class": "SmolVLMProcessor", "image_seq_len": 4},
    ),
    "idefics3": TinyFamily(
        "tiles",
        _tiles(Idefics3Config),
        lambda: Idefics3ImageProcessorPil(**_TILE_SIZES),
        {"processor_class": "Idefics3Processor", "image_seq_len": 4},
    ),
    "internvl": TinyFamily(
        "internvl",
        lambda ids: InternVLConfig(
            text_config=Qwen2Config(**_SIZES),
            vision_config=EYES | {"image_size": [28, 28], "patch_size": [7, 7]},
            image_token_id=ids["<IMG_CONTEXT>"],
        ),
        lambda: GotOcr2ImageProcessorPil(
            size={"height": 28, "width": 28}, crop_to_patches=True, min_patches=1, max_patches=4
        ),
        {"processor_class": "InternVLProcessor", "image_seq_length": 4},
        {
            "start_image_token": "<img>",
            "end_image_token": "</img>",
            "context_image_token": "<IMG_CONTEXT>",
            "video_token": "<video>",
        },
    ),
    "llava": TinyFamily(
        "llava",
        lambda ids: LlavaConfig(
            text_config=LlamaConfig(**_SIZES),
            vision_config=CLIPVisionConfig(**_SMALL),
            image_token_index=ids["<image>"],
        ),
        lambda: LlavaImageProcessorPil(size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28}),
        {
            "processor_class": "LlavaProcessor",
            "patch_size": 7,
            "vision_feature_select_strategy": "default",
            "num_additional_image_tokens": 1,
        },
    ),
    "llava_next": TinyFamily(
        "llava",
        lambda ids: LlavaNextConfig(
            text_config=MistralConfig(**_SIZES),
            vision_config=CLIPVisionConfig(**_SMALL),
            image_token_index=ids["<image>"],
            image_grid_pinpoints=[[28, 56], [56, 28], [56, 56]],
        ),
        lambda: LlavaNextImageProcessorPil(
            size={"shortest_edge": 28},
            crop_size={"height": 28, "width": 28},
            image_grid_pinpoints=[[28, 56], [56, 28], [56, 56]],
        ),
        {
            "processor_class": "LlavaNextProcessor",
            "patch_size": 7,
            "vision_feature_select_strategy": "default",
            "num_additional_image_tokens": 1,
        },
    ),
    "llava_onevision": TinyFamily(
        "llava",
        lambda ids: LlavaOnevisionConfig(
            text_config=Qwen2Config(**_SIZES),
            vision_config=SiglipVisionConfig(**_SMALL, vision_use_head=False),
            image_token_index=ids["<image>"],
            video_token_index=ids["<video>"],
            image_grid_pinpoints=[[28, 56], [56, 28], [56, 56]],
        ),
        lambda: LlavaOnevisionImageProcessorPil(
            size={"height": 28, "width": 28}, image_grid_pinpoints=[[28, 56], [56, 28], [56, 56]]
        ),
        {
            "processor_class": "LlavaOnevisionProcessor",
            "num_image_tokens": 16,
            "vision_feature_select_strategy": "full",
        },
    ),
    "gemma3": TinyFamily(
        "gemma3",
        lambda ids: Gemma3Config(
            text_config=gemma3_text(_SIZES),
            vision_config=_SMALL,
            tie_word_embeddings=False,
            mm_tokens_per_image=4,
            image_token_index=ids["<image_soft_token>"],
            boi_token_index=ids["<start_of_image>"],
            eoi_token_index=ids["<end_of_image>"],
        ),
        lambda: Gemma3ImageProcessorPil(size={"height": 28, "width": 28}),
        {"processor_class": "Gemma3Processor", "image_seq_length": 4},
        {
            "boi_token": "<start_of_image>",
            "image_token": "<image_soft_token>",
            "eoi_token": "<end_of_image>",
        },
    ),
    "gemma4": _gemma4(),
    "gemma4_both_ways": _gemma4(use_bidirectional_attention="vision"),
    "qwen2_vl": TinyFamily(
        "qwen",
        _qwen(
            Qwen2VLConfig,
            {},
            {"depth": 2, "embed_dim": 32, "hidden_size": 64, "num_heads": 2, "patch_size": 4}
            | {"initializer_range": 0.3},
        ),
        lambda: Qwen2VLImageProcessorPil(**_QWEN_SIZES),
        {"processor_class": "Qwen2VLProcessor"},
    ),
    "qwen2_5_vl": TinyFamily(
        "qwen",
        _qwen(Qwen2_5_VLConfig, {}, QWEN_EYES | {"window_size": 16, "fullatt_block_indexes": [1]}),
        lambda: Qwen2VLImageProcessorPil(**_QWEN_SIZES),
        {"processor_class": "Qwen2_5_VLProcessor"},
    ),
    "qwen3_vl": TinyFamily(
        "qwen",
        _qwen(Qwen3VLConfig, {"head_dim": 16}, QWEN_EYES | {"deepstack_visual_indexes": [0, 1]}),
        lambda: Qwen2VLImageProcessorPil(**_QWEN_SIZES),
        {"processor_class": "Qwen3VLProcessor"},
    ),
    "mistral3": TinyFamily(
        "pixtral",
        lambda ids: Mistral3Config(
            text_config=MistralConfig(**_SIZES | {"sliding_window": None}),
            vision_config=PixtralVisionConfig(**EYES, image_size=32, patch_size=4),
            image_token_index=ids["[IMG]"],
        ),
        lambda: PixtralImageProcessorPil(size={"longest_edge": 32}, patch_size=4),
        {"processor_class": "PixtralProcessor", "patch_size": 4, "spatial_merge_size": 2},
    ),
    "pixtral": TinyFamily(
        "pixtral",
        lambda ids: LlavaConfig(
            text_config=MistralConfig(**_SIZES | {"sliding_window": None}),
            vision_config=PixtralVisionConfig(**EYES, image_size=32, patch_size=4),
            image_token_index=ids["[IMG]"],
            vision_feature_layer=-1,
            vision_feature_select_strategy="full",
        ),
        lambda: PixtralImageProcessorPil(size={"longest_edge": 32}, patch_size=4),
        {"processor_class": "PixtralProcessor", "patch_size": 4},
    ),
    "paligemma": _paligemma(GemmaConfig(**_SIZES | {"head_dim": 16})),
    "paligemma2": _paligemma(
        Gemma2Config(**_SIZES | {"head_dim": 16, "sliding_window": 9, "query_pre_attn_scalar": 16})
    ),
    "aya_vision": TinyFamily(
        "aya_vision",
        lambda ids: AyaVisionConfig(
            text_config=_cohere2(),
            vision_config=SiglipVisionConfig(**_SMALL, vision_use_head=False),
            image_token_index=ids["<|IMG_PATCH|>"],
        ),
        lambda: GotOcr2ImageProcessorPil(
            size={"height": 28, "width": 28}, crop_to_patches=True, min_patches=1, max_patches=4
        ),
        {"processor_class": "AyaVisionProcessor", "patch_size": 14, "img_size": 28},
    ),
    "deepseek_vl": TinyFamily(
        "llava",
        lambda ids: DeepseekVLConfig(
            text_config=LlamaConfig(**_SIZES),
            vision_config=SiglipVisionConfig(**_SMALL, vision_use_head=False),
            image_token_id=ids["<image>"],
            tie_word_embeddings=False,
        ),
        lambda: DeepseekVLImageProcessorPil(size={"height": 28, "width": 28}),
        {"processor_class": "DeepseekVLProcessor", "num_image_tokens": 16},
        {"image_token": "<image>"},
    ),
    "glm4v": _glm(Glm4vConfig, {}, Glm4vImageProcessorPil, "Glm4vProcessor"),
    "glm4v_moe": _glm(
        Glm4vMoeConfig,
        _EXPERTS
        | {"n_routed_experts": 4, "first_k_dense_replace": 1}
        | {"rope_parameters": THREE_AXES["rope_parameters"] | {"partial_rotary_factor": 1.0}},
        Glm4vImageProcessorPil,
        "Glm4vProcessor",
    ),
    "glm46v": _glm(Glm46VConfig, {}, Glm46VImageProcessorPil, "Glm46VProcessor"),
    "glm_ocr": _glm(GlmOcrConfig, {}, Glm46VImageProcessorPil, "Glm46VProcessor"),
    "qwen3_vl_moe": TinyFamily(
        "qwen",
        _qwen(
            Qwen3VLMoeConfig,
            _EXPERTS | {"head_dim": 16, "num_experts": 4},
            QWEN_EYES | {"deepstack_visual_indexes": [0, 1]},
        ),
        lambda: Qwen2VLImageProcessorPil(**_QWEN_SIZES),
        {"processor_class": "Qwen3VLProcessor"},
    ),
    "qwen3_5": TinyFamily(
        "qwen",
        _qwen(Qwen3_5Config, _RECURRENT, QWEN_EYES),
        lambda: Qwen2VLImageProcessorPil(**_QWEN_SIZES),
        {"processor_class": "Qwen3VLProcessor"},
    ),
    "qwen3_5_moe": TinyFamily(
        "qwen",
        _qwen(
            Qwen3_5MoeConfig,
            _RECURRENT | _EXPERTS | {"num_experts": 4, "shared_expert_intermediate_size": 32},
            QWEN_EYES,
        ),
        lambda: Qwen2VLImageProcessorPil(**_QWEN_SIZES),
        {"processor_class": "Qwen3VLProcessor"},
    ),
    "paddleocr_vl": TinyFamily(
        "paddleocr_vl",
        lambda ids: PaddleOCRVLConfig(
            text_config=_SIZES | THREE_AXES | {"head_dim": 16},
            vision_config=EYES | {"image_size": 32, "patch_size": 4},
            image_token_id=ids["<|IMAGE_PLACEHOLDER|>"],
            vision_start_token_id=ids["<|IMAGE_START|>"],
            vision_end_token_id=ids["<|IMAGE_END|>"],
            tie_word_embeddings=False,
        ),
        lambda: PaddleOCRVLImageProcessorPil(
            patch_size=4, size={"shortest_edge": 8 * 8, "longest_edge": 8 * 8 * 12}
        ),
        {"processor_class": "PaddleOCRVLProcessor"},
        {"image_token": "<|IMAGE_PLACEHOLDER|>"},
    ),
    "lfm2_vl": TinyFamily(
        "lfm2_vl",
        lambda ids: Lfm2VlConfig(
            text_config=Lfm2Config(**_SIZES | {"layer_types": ["conv", "full_attention", "conv"]}),
            vision_config=Siglip2VisionConfig(**EYES, patch_size=4, num_patches=16),
            image_token_id=ids["<image>"],
            projector_hidden_size=32,
            tie_word_embeddings=False,
        ),
        PublishedLfm2VlImages,
        {"processor_class": "Lfm2VlProcessor"},
    ),
    "lighton_ocr": TinyFamily(
        "lighton_ocr",
        lambda ids: LightOnOcrConfig(
            text_config=_SIZES | {"model_type": "qwen3", "head_dim": 16},
            vision_config=EYES
            | {"model_type": "pixtral", "image_size": 32, "patch_size": 4, "head_dim": 16},
            image_token_id=ids["<|image_pad|>"],
            tie_word_embeddings=False,
        ),
        lambda: PixtralImageProcessorPil(size={"longest_edge": 32}, patch_size=8),
        {"processor_class": "LightOnOcrProcessor", "patch_size": 4, "spatial_merge_size": 2},
        {
            "image_token": "<|image_pad|>",
            "image_break_token": "<|vision_pad|>",
            "image_end_token": "<|vision_end|>",
        },
    ),
}  # fmt: skip

# `make test-torchvision` tries these, in an environment that has what they need.
if is_torchvision_available():
    MEDIA_FAMILIES["llama4"] = TinyFamily(
        "llama4",
        lambda ids: Llama4Config(
            text_config=_SIZES
            | {
                "intermediate_size_mlp": 64,
                "head_dim": 16,
                "num_local_experts": 4,
                "interleave_moe_layer_step": 2,
                "attention_chunk_size": 16,
                "no_rope_layers": [1, 0, 1],
            },
            vision_config=_SMALL
            | {
                "image_size": 28,
                "projector_input_dim": 32,
                "projector_output_dim": 32,
                "vision_output_dim": 32,
                "intermediate_size": 128,
            },
            image_token_index=ids["<|patch|>"],
            boi_token_index=ids["<|image_start|>"],
            eoi_token_index=ids["<|image_end|>"],
            tie_word_embeddings=False,
        ),
        lambda: _of_torchvision("llama4", "Llama4ImageProcessor")(
            size={"height": 28, "width": 28}, max_patches=4
        ),
        {"processor_class": "Llama4Processor", "patch_size": 7},
    )
    MEDIA_FAMILIES["cohere2_vision"] = TinyFamily(
        "cohere2_vision",
        lambda ids: Cohere2VisionConfig(
            text_config=_cohere2(),
            vision_config=SiglipVisionConfig(**_SMALL, vision_use_head=False),
            image_token_id=ids["<|IMG_PATCH|>"],
            alignment_intermediate_size=64,
        ),
        lambda: _of_torchvision("cohere2_vision", "Cohere2VisionImageProcessor")(
            size={"height": 28, "width": 28}, max_patches=4, patch_size=2
        ),
        {"processor_class": "Cohere2VisionProcessor"},
        {
            "image_token": "<|IMG_PATCH|>",
            "boi_token": "<|START_OF_IMG|>",
            "eoi_token": "<|END_OF_IMG|>",
            "img_line_break_token": "<|IMG_LINE_BREAK|>",
        },
    )
    MEDIA_FAMILIES["kimi_k25"] = TinyFamily(
        "kimi_k25",
        lambda ids: Kimi_K25Config(
            text_config=DeepseekV3Config(**{**_SIZES, **_LATENT}),
            vision_config={
                "patch_size": 4,
                "pos_emb_height": 6,
                "pos_emb_width": 6,
                "num_attention_heads": 2,
                "num_hidden_layers": 2,
                "hidden_size": 32,
                "intermediate_size": 48,
            },
            projection_hidden_size=32,
            image_token_id=ids["<|media_pad|>"],
            video_token_id=ids["<|kimi_k25_video_placeholder|>"],
            vision_start_token_id=ids["<|media_begin|>"],
            vision_end_token_id=ids["<|media_end|>"],
            tie_word_embeddings=False,
        ),
        lambda: _of_torchvision("kimi_k25", "Kimi_K25ImageProcessor")(patch_size=4, max_patches=48),
        {"processor_class": "Kimi_K25Processor"},
    )
if is_timm_available():
    MEDIA_FAMILIES["gemma3n"] = TinyFamily(
        "gemma3n",
        lambda ids: gemma3n_config(_SIZES, ids["<image_soft_token>"], ids["<audio_soft_token>"]),
        gemma3n_images,
        GEMMA3N_SETTINGS,
        {
            "boi_token": "<start_of_image>",
            "image_token": "<image_soft_token>",
            "eoi_token": "<end_of_image>",
            "audio_token": "<audio_soft_token>",
            "boa_token": "<start_of_audio>",
            "eoa_token": "<end_of_audio>",
        },
        gemma3n_sounds,
    )
    MEDIA_FAMILIES["fast_vlm"] = TinyFamily(
        "llava",
        lambda ids: FastVlmConfig(
            text_config=Qwen2Config(**_SIZES),
            vision_config={
                "model_type": "timm_wrapper",
                "architecture": "fastvit_mci0",
                "do_pooling": True,
                "hidden_size": 64,
                "model_args": {
                    "inference_mode": True,
                    "layers": [1, 1, 1, 1],
                    "embed_dims": [8, 16, 16, 32],
                },
            },
            image_token_index=ids["<image>"],
            image_seq_length=4,
        ),
        lambda: CLIPImageProcessorPil(size={"shortest_edge": 64}, crop_size={"height": 64, "width": 64}),
        {
            "processor_class": "LlavaProcessor",
            "patch_size": 32,
            "vision_feature_select_strategy": "full",
            "num_additional_image_tokens": 0,
        },
    )
    MEDIA_FAMILIES["perception_lm"] = TinyFamily(
        "llava",
        lambda ids: PerceptionLMConfig(
            text_config=LlamaConfig(**_SIZES),
            vision_config={
                "model_type": "timm_wrapper",
                "architecture": "vit_pe_lang_large_patch14_448",
                "do_pooling": True,
                "global_pool": "map",
                "model_args": {
                    "embed_dim": 32,
                    "depth": 2,
                    "num_heads": 4,
                    "img_size": [28, 28],
                    "ref_feat_shape": [4, 4],
                    "patch_size": 7,
                    "global_pool": "",
                    "init_values": 0.1,
                    "use_post_transformer_norm": False,
                },
            },
            projector_pooling_ratio=2,
            image_token_id=ids["<image>"],
            video_token_id=ids["<video>"],
        ),
        lambda: _of_torchvision("perception_lm", "PerceptionLMImageProcessor")(tile_size=28, max_num_tiles=4),
        {"processor_class": "PerceptionLMProcessor", "patch_size": 7, "pooling_ratio": 2},
        {"image_token": "<image>", "video_token": "<video>"},
    )


def _of_torchvision(folder: str, name: str) -> Any:
    """Return a processor of images that can be imported where torchvision is installed."""
    return getattr(import_module(f"transformers.models.{folder}.image_processing_{folder}"), name)


# On a CPU, vLLM takes heads of 32 numbers at least.
_FOR_VLLM: dict[str, Any] = {
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "max_position_embeddings": 2048,
    "rope_parameters": THREE_AXES["rope_parameters"] | {"mrope_section": [4, 6, 6]},
}
VLLM_FAMILIES: dict[str, TinyFamily] = {
    "qwen2_5_vl": MEDIA_FAMILIES["qwen2_5_vl"]._replace(
        config=_qwen(
            Qwen2_5_VLConfig, _FOR_VLLM, QWEN_EYES | {"window_size": 16, "fullatt_block_indexes": [1]}
        )
    ),
}


def media_tokenizer(family: str | TinyFamily) -> PreTrainedTokenizerFast:
    """Return the tokenizer of all tiny models with the special tokens of a family."""
    tiny = MEDIA_FAMILIES[family] if isinstance(family, str) else family
    tokenizer = tiny_tokenizer(has_end_token=False)
    tokenizer.backend_tokenizer.add_special_tokens(list(_TOKENS[tiny.tokens]))
    tokenizer_class: Any = PreTrainedTokenizerFast
    made: PreTrainedTokenizerFast = tokenizer_class(
        tokenizer_object=tokenizer.backend_tokenizer,
        eos_token=tokenizer.eos_token,
        pad_token=tokenizer.pad_token,
        chat_template=tokenizer.chat_template,
        bos_token=tiny.names.get("bos_token"),
        extra_special_tokens={name: token for name, token in tiny.names.items() if name != "bos_token"},
    )
    return made


def save_tiny_media_model(directory: Path, family: str | TinyFamily, *, seed: int = 0) -> PreTrainedModel:
    """Write a model of random weights with its tokenizer and processor, and return it, in float32."""
    tiny = MEDIA_FAMILIES[family] if isinstance(family, str) else family
    tokenizer = media_tokenizer(family)
    ids: dict[str, int] = {token: tokenizer.vocab[token] for token in _TOKENS[tiny.tokens]}
    torch.manual_seed(seed)
    auto: Any = AutoModelForImageTextToText
    model = auto.from_config(tiny.config(ids), dtype=torch.float32, attn_implementation="eager").eval()
    assert isinstance(model, PreTrainedModel)
    for parameter in model.parameters():
        if (
            parameter.dim() > 1 and not parameter.any()
        ):  # Gemma's projection of images, which is trained from 0
            torch.nn.init.normal_(parameter, std=0.3)
    if family in ("fast_vlm", "perception_lm"):  # whose encoder timm fills with small numbers
        for parameter in model.model.vision_tower.parameters():
            torch.nn.init.normal_(parameter, std=0.3)
    generation_config: Any = GenerationConfig
    model.generation_config = generation_config(pad_token_id=PAD_ID)
    model.save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    tiny.images().save_pretrained(directory)
    if tiny.sounds is not None:  # in the same file, as published models have it
        path = directory / "preprocessor_config.json"
        both = json.loads(tiny.sounds().to_json_string()) | json.loads(path.read_text())
        path.write_text(json.dumps(both))
    (directory / "processor_config.json").write_text(json.dumps(tiny.settings))
    return model


def image_bytes(width: int, height: int, *, seed: int = 0, format: str = "PNG") -> bytes:
    """Return a file with a picture of random blocks of colour."""
    generator = np.random.default_rng(seed)
    blocks = generator.integers(0, 256, (4, 4, 3), dtype=np.uint8)
    picture = Image.fromarray(blocks).resize((width, height), Image.Resampling.NEAREST)
    file = BytesIO()
    picture.save(file, format)
    return file.getvalue()
