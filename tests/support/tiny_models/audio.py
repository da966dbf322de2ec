"""Tiny models of random weights that read sounds, with their processors."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from transformers import (
    AudioFlamingo3Config,
    AutoModelForImageTextToText,
    AutoModelForSeq2SeqLM,
    Gemma4AudioConfig,
    Gemma4Config,
    GenerationConfig,
    GlmAsrConfig,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    Qwen2_5OmniThinkerConfig,
    Qwen2AudioConfig,
    Qwen3ASRConfig,
    VoxtralConfig,
    WhisperFeatureExtractor,
)
from transformers.models.gemma4.feature_extraction_gemma4 import Gemma4AudioFeatureExtractor
from transformers.models.gemma4.image_processing_pil_gemma4 import Gemma4ImageProcessorPil
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil
from transformers.models.qwen3_asr.feature_extraction_qwen3_asr import Qwen3ASRFeatureExtractor
from transformers.utils.import_utils import is_timm_available

from tests.support.tiny_models.gemma3n import GEMMA3N_SETTINGS, gemma3n_config, gemma3n_images, gemma3n_sounds
from tests.support.tiny_models.sizes import (
    GEMMA4_EYES,
    PAD_ID,
    QWEN_EYES,
    THREE_AXES,
    gemma4_text,
    text_sizes,
)
from tests.support.tiny_models.text import tiny_tokenizer

_SPECIAL = (
    # Gemma 3n's ids of images come before those of sounds.
    "<image>",
    "<begin_of_image>",
    "<end_of_image>",
    "<sound>",
    "<begin_of_sound>",
    "<end_of_sound>",
)
_TEXT = text_sizes(len(_SPECIAL))
_EARS: dict[str, Any] = {
    "num_mel_bins": 16,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "initializer_range": 0.3,
}
# Of encoders whose settings go by Whisper's names.
_WHISPER_EARS: dict[str, Any] = {
    "num_mel_bins": 16,
    "encoder_layers": 2,
    "encoder_attention_heads": 2,
    "encoder_ffn_dim": 32,
    "d_model": 32,
    "initializer_range": 0.3,
}
WINDOW_SECONDS = 2
_QWEN3_SOUNDS: Any = Qwen3ASRFeatureExtractor  # which has no annotations


class TinyAudioFamily(NamedTuple):
    """One family.

    config: made from the ids of its tokens by name. sounds: its feature extractor. settings: of the whole
    processor, with the name of its class. names: attributes of the tokenizer that name its tokens.
    """

    config: Callable[[Mapping[str, int]], PreTrainedConfig]
    sounds: Callable[[], Any]
    settings: dict[str, Any]
    names: dict[str, str] = {}
    images: Callable[[], Any] | None = None


def _whisper(window_seconds: int = WINDOW_SECONDS) -> Any:
    extractor: Any = WhisperFeatureExtractor  # its annotations are partial
    return extractor(feature_size=16, chunk_length=window_seconds)


def gemma4_images() -> Any:
    """Return the image processor of the tiny Gemma 4, which also sees."""
    return Gemma4ImageProcessorPil(patch_size=4, max_soft_tokens=70, pooling_kernel_size=2)


def _gemma4(ids: Mapping[str, int]) -> PreTrainedConfig:
    ears = Gemma4AudioConfig(
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        subsampling_conv_channels=[16, 4],  # the first is that of the bands of a spectrum
        output_proj_dims=48,
        initializer_range=0.3,
    )
    return Gemma4Config(
        text_config=gemma4_text(_TEXT) | {"use_bidirectional_attention": "vision"},
        vision_config=GEMMA4_EYES,
        audio_config=ears,
        tie_word_embeddings=False,
        image_token_id=ids["<image>"],
        boi_token_id=ids["<begin_of_image>"],
        eoi_token_id=ids["<end_of_image>"],
        audio_token_id=ids["<sound>"],
        boa_token_id=ids["<begin_of_sound>"],
        eoa_token_index=ids["<end_of_sound>"],
        video_token_id=_TEXT["vocab_size"] + 1,
    )


def _omni(ids: Mapping[str, int]) -> PreTrainedConfig:
    config: Any = Qwen2_5OmniThinkerConfig  # which takes more than its annotations say
    thinker: PreTrainedConfig = config(
        text_config=_TEXT | THREE_AXES,
        vision_config=QWEN_EYES | {"window_size": 16, "fullatt_block_indexes": [1]},
        audio_config=_WHISPER_EARS
        | {"output_dim": 64, "n_window": 25, "max_source_positions": 50 * WINDOW_SECONDS},
        audio_token_index=ids["<sound>"],
        image_token_index=ids["<image>"],
        video_token_index=_TEXT["vocab_size"] + 1,
        audio_start_token_id=ids["<begin_of_sound>"],
        audio_end_token_id=ids["<end_of_sound>"],
        vision_start_token_id=ids["<begin_of_image>"],
        vision_end_token_id=ids["<end_of_image>"],
    )
    return thinker


def _qwen2_audio(window_seconds: int, **text: Any) -> TinyAudioFamily:
    return TinyAudioFamily(
        lambda ids: Qwen2AudioConfig(
            text_config=_TEXT | {"model_type": "qwen2"} | text,
            audio_config=_WHISPER_EARS | {"max_source_positions": 50 * window_seconds},
            audio_token_index=ids["<sound>"],
        ),
        lambda: _whisper(window_seconds),
        {"processor_class": "Qwen2AudioProcessor"},
        {
            "audio_token": "<sound>",
            "audio_bos_token": "<begin_of_sound>",
            "audio_eos_token": "<end_of_sound>",
        },
    )


# vLLM takes windows of 30 seconds alone, and on a CPU heads of 32 numbers at least.
QWEN2_AUDIO_FOR_VLLM = _qwen2_audio(
    30, num_attention_heads=2, num_key_value_heads=1, max_position_embeddings=2048
)
_GEMMA_NAMES = {
    "image_token": "<image>",
    "boi_token": "<begin_of_image>",
    "eoi_token": "<end_of_image>",
    "audio_token": "<sound>",
    "boa_token": "<begin_of_sound>",
    "eoa_token": "<end_of_sound>",
}
AUDIO_FAMILIES: dict[str, TinyAudioFamily] = {
    "qwen2_audio": _qwen2_audio(WINDOW_SECONDS),
    # Its processor fills windows of 30 seconds, each of which becomes 1,500 * 32 / 1,600 tokens here.
    "voxtral": TinyAudioFamily(
        lambda ids: VoxtralConfig(
            text_config=_TEXT | {"model_type": "llama"},
            audio_config=_EARS
            | {"num_hidden_layers": 1, "intermediate_size": 1_600, "max_source_positions": 1_500},
            audio_token_id=ids["<sound>"],
        ),
        lambda: _whisper(30),
        {"processor_class": "VoxtralProcessor"},
    ),
    "audioflamingo3": TinyAudioFamily(
        lambda ids: AudioFlamingo3Config(
            text_config=_TEXT | {"model_type": "qwen2"},
            audio_config=_EARS | {"intermediate_size": 32, "max_source_positions": 50 * WINDOW_SECONDS},
            audio_token_id=ids["<sound>"],
        ),
        _whisper,
        {"processor_class": "AudioFlamingo3Processor"},
    ),
    "glmasr": TinyAudioFamily(
        lambda ids: GlmAsrConfig(
            text_config=_TEXT | {"model_type": "llama"},
            audio_config=_EARS | {"intermediate_size": 128, "max_position_embeddings": 50 * WINDOW_SECONDS},
            audio_token_id=ids["<sound>"],
        ),
        _whisper,
        {"processor_class": "GlmAsrProcessor", "audio_token": "<sound>"},
    ),
    # Its encoder reads seconds, in windows of two.
    "qwen3_asr": TinyAudioFamily(
        lambda ids: Qwen3ASRConfig(
            text_config=_TEXT | {"model_type": "qwen3", "head_dim": 16},
            audio_config=_WHISPER_EARS
            | {"output_dim": 64, "downsample_hidden_size": 8, "n_window_infer": 100 * WINDOW_SECONDS},
            audio_token_id=ids["<sound>"],
            tie_word_embeddings=False,
            eos_token_id=PAD_ID,  # it must have one; none of these answers has it
        ),
        lambda: _QWEN3_SOUNDS(feature_size=16),
        {"processor_class": "Qwen3ASRProcessor"},
        {
            "audio_token": "<sound>",
            "audio_bos_token": "<begin_of_sound>",
            "audio_eos_token": "<end_of_sound>",
        },
    ),
    "qwen2_5_omni": TinyAudioFamily(
        _omni,
        _whisper,
        {"processor_class": "Qwen2_5OmniProcessor"},
        {
            "image_token": "<image>",
            "vision_bos_token": "<begin_of_image>",
            "vision_eos_token": "<end_of_image>",
            "video_token": "<video>",
            "audio_token": "<sound>",
            "audio_bos_token": "<begin_of_sound>",
            "audio_eos_token": "<end_of_sound>",
        },
        lambda: Qwen2VLImageProcessorPil(patch_size=4, min_pixels=8 * 8, max_pixels=8 * 8 * 12),
    ),
    "gemma4": TinyAudioFamily(
        _gemma4,
        lambda: Gemma4AudioFeatureExtractor(feature_size=16),
        {"processor_class": "Gemma4Processor"},
        _GEMMA_NAMES,
        gemma4_images,
    ),
}
if is_timm_available():
    AUDIO_FAMILIES["gemma3n"] = TinyAudioFamily(
        lambda ids: gemma3n_config(_TEXT, ids["<image>"], ids["<sound>"]),
        gemma3n_sounds,
        GEMMA3N_SETTINGS,
        _GEMMA_NAMES,
        gemma3n_images,
    )


def audio_tokenizer(family: str) -> PreTrainedTokenizerFast:
    """Return the tokenizer of a family in AUDIO_FAMILIES."""
    return _tokenizer(AUDIO_FAMILIES[family])


def _tokenizer(tiny: TinyAudioFamily) -> PreTrainedTokenizerFast:
    """Return the tokenizer of all tiny models with the special tokens of models that hear."""
    tokenizer = tiny_tokenizer(has_end_token=False)
    tokenizer.backend_tokenizer.add_special_tokens(list(_SPECIAL))
    tokenizer_class: Any = PreTrainedTokenizerFast
    made: PreTrainedTokenizerFast = tokenizer_class(
        tokenizer_object=tokenizer.backend_tokenizer,
        eos_token=tokenizer.eos_token,
        pad_token=tokenizer.pad_token,
        chat_template=tokenizer.chat_template,
        extra_special_tokens=tiny.names,
    )
    return made


def save_tiny_audio_model(
    directory: Path, family: str | TinyAudioFamily, *, seed: int = 0
) -> PreTrainedModel:
    """Write a model of random weights with its tokenizer and processor, and return it, in float32."""
    tiny = AUDIO_FAMILIES[family] if isinstance(family, str) else family
    tokenizer = _tokenizer(tiny)
    ids: dict[str, int] = {token: tokenizer.vocab[token] for token in _SPECIAL}
    torch.manual_seed(seed)
    auto: Any = AutoModelForSeq2SeqLM if tiny.images is None else AutoModelForImageTextToText
    model = auto.from_config(tiny.config(ids), dtype=torch.float32, attn_implementation="eager").eval()
    assert isinstance(model, PreTrainedModel)
    generation_config: Any = GenerationConfig
    model.generation_config = generation_config(pad_token_id=PAD_ID)
    model.save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    settings = dict(tiny.settings)
    if tiny.images is None:
        tiny.sounds().save_pretrained(directory)
    else:
        settings["image_processor"] = json.loads(tiny.images().to_json_string())
        settings["feature_extractor"] = json.loads(tiny.sounds().to_json_string())
    (directory / "processor_config.json").write_text(json.dumps(settings))
    return model
