"""The parts of a tiny Gemma 3n, whose encoder of images is timm's."""

from functools import cache
from importlib import import_module
from typing import Any, Final

from transformers import Gemma3nConfig, PreTrainedConfig
from transformers.models.gemma3n.feature_extraction_gemma3n import Gemma3nAudioFeatureExtractor
from transformers.models.siglip.image_processing_pil_siglip import SiglipImageProcessorPil

_SIDE: Final = 64  # pixels
_NUM_ROWS: Final = 4  # of an image
_NUM_SOUND_ROWS: Final = 24
# Blocks of MobileNetV5: a convolution, inverted bottlenecks, and attention over pixels between two of these.
_BLOCKS: Final = (
    ["er_r1_k3_s2_e2_c8"],
    ["uir_r1_a3_k5_s2_e2_c16"],
    ["uir_r1_a3_k3_s2_e2_c16", "mqa_r1_k3_h2_v2_s1_d8_c16", "uir_r1_a0_k0_s1_e2_c16"],
    ["uir_r1_a0_k3_s2_e2_c16"],
)
GEMMA3N_SETTINGS: Final = {
    "processor_class": "Gemma3nProcessor",
    "image_seq_length": _NUM_ROWS,
    "audio_seq_length": _NUM_SOUND_ROWS,
}


def gemma3n_images() -> Any:
    """Return the processor of its images."""
    return SiglipImageProcessorPil(size={"height": _SIDE, "width": _SIDE})


def gemma3n_sounds() -> Any:
    """Return the feature extractor of its sounds."""
    return Gemma3nAudioFeatureExtractor(feature_size=16)


@cache
def _architecture() -> str:
    """Return the name in timm of a tiny MobileNetV5, whose blocks no configuration can state."""
    models: Any = import_module("timm.models")
    family: Any = import_module("timm.models.mobilenetv5")
    builder: Any = import_module("timm.models._efficientnet_builder")

    def tiny_mobilenetv5_of_tests(pretrained: bool = False, **options: Any) -> Any:
        return family._gen_mobilenet_v5(
            "mobilenetv5_300m_enc",
            pretrained=pretrained,
            encoder=True,
            pad_type="same",
            block_args=builder.decode_arch_def(_BLOCKS),
            stem_size=8,
            fix_stem=True,
            layer_scale_init_value=1.0,
            msfa_output_resolution=2,
            **options,
        )

    models.register_model(tiny_mobilenetv5_of_tests)
    return tiny_mobilenetv5_of_tests.__name__


def gemma3n_config(sizes: dict[str, Any], first_of_images: int, first_of_sounds: int) -> PreTrainedConfig:
    """Return its configuration; timm must be installed.

    sizes: of the text model. first_of_images, first_of_sounds: the ids of their tokens, from which on all ids
    are those of images, and of sounds.
    """
    return gemma3n_with_eyes({"architecture": _architecture()}, sizes, first_of_images, first_of_sounds)


def gemma3n_with_eyes(
    eyes: dict[str, Any], sizes: dict[str, Any], first_of_images: int, first_of_sounds: int
) -> PreTrainedConfig:
    """Return its configuration with these settings of timm's encoder, which need not be installed."""
    vocab_size: int = sizes["vocab_size"]
    text = {
        **sizes,
        "head_dim": 16,
        "num_hidden_layers": 4,
        "num_kv_shared_layers": 2,
        "layer_types": ["sliding_attention", "full_attention"] * 2,
        "sliding_window": 9,
        "hidden_size_per_layer_input": 16,
        "vocab_size_per_layer_input": first_of_images,
        "laurel_rank": 8,
        "activation_sparsity_pattern": [0.5, 0.0, 0.5, 0.0],
        "tie_word_embeddings": False,
    }
    eyes = {
        **eyes,
        "model_type": "gemma3n_vision",
        "vocab_offset": first_of_images,
        "vocab_size": first_of_sounds - first_of_images,
    }
    ears = {
        "vocab_offset": first_of_sounds,
        "vocab_size": vocab_size - first_of_sounds,
        "input_feat_size": 16,
        "hidden_size": 32,
        "conf_num_attention_heads": 2,
        "conf_num_hidden_layers": 2,
        "sscp_conv_channel_size": [8, 4],
        "initializer_range": 0.3,
    }
    config: Any = Gemma3nConfig  # its annotations are partial
    made: PreTrainedConfig = config(
        text_config=text,
        vision_config=eyes,
        audio_config=ears,
        vision_soft_tokens_per_image=_NUM_ROWS,
        audio_soft_tokens_per_image=_NUM_SOUND_ROWS,
        image_token_id=first_of_images,
        audio_token_id=first_of_sounds,
        tie_word_embeddings=False,
    )
    return made
