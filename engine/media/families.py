"""The families of models whose media are read, and what of them transformers' code does not say."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from engine.port.request import MediaKind

if TYPE_CHECKING:  # a front asks for families without transformers
    from transformers import PreTrainedConfig

_IMAGES: Final = frozenset({MediaKind.IMAGE})
_AUDIO: Final = frozenset({MediaKind.AUDIO})
_VIDEOS: Final = frozenset({MediaKind.VIDEO})

_TORCHVISION: Final = ("torchvision",)
_TIMM: Final = ("torchvision", "timm")  # which imports the former


class MediaFamily(NamedTuple):
    """The media of the models of one type, as `model_type` of their configuration names it.

    around: by kind, the texts before and after the placeholder of a medium where no chat template puts them.
    has_axes: whether the positions of its tokens have three axes (time, height, width).
    sees_both_ways: the kinds whose tokens see each other in both directions; if `in_windows`, they do so in
        layers with a sliding window alone.
    is_nested: whether its image processor takes a list of images for each text.
    has_prefix: whether a prompt with images sees itself, all of it; its text begins after the last image,
        with the token of a beginning, and ends with a line feed (PaliGemma, Beyer et al. 2024, arXiv
        2407.07726).
    differs_alone: whether an image that is alone in its prompt is processed otherwise than several.
    shows_frames_as_images: whether the tokens and the encoder of a video's frames are those of images.
    pads_placeholders: whether a placeholder that the model itself has generated is embedded as padding, and
        so are those of a prompt in the embeddings that each layer has of its own.
    processor_needs, encoder_needs: packages without which transformers makes no tensors of images, and those
        without which it makes no encoder of them.
    """

    kinds: frozenset[MediaKind] = _IMAGES
    around: Mapping[MediaKind, tuple[str, str]] = MappingProxyType({})
    has_axes: bool = False
    sees_both_ways: frozenset[MediaKind] = frozenset()
    in_windows: bool = False
    is_nested: bool = False
    has_prefix: bool = False
    differs_alone: bool = False
    shows_frames_as_images: bool = False
    pads_placeholders: bool = False
    processor_needs: tuple[str, ...] = ()
    encoder_needs: tuple[str, ...] = ()


_QWEN: Final = MediaFamily(
    _IMAGES | _VIDEOS,
    around=dict.fromkeys(_IMAGES | _VIDEOS, ("<|vision_start|>", "<|vision_end|>")),
    has_axes=True,
)
_GLM: Final = MediaFamily(
    _IMAGES | _VIDEOS,
    around={
        MediaKind.IMAGE: ("<|begin_of_image|>", "<|end_of_image|>"),
        MediaKind.VIDEO: ("<|begin_of_video|>", "<|end_of_video|>"),
    },
    has_axes=True,
    shows_frames_as_images=True,
)


def _hearing(before: str = "", after: str = "") -> MediaFamily:
    """Return a family that reads only audio, between these texts."""
    return MediaFamily(_AUDIO, around={MediaKind.AUDIO: (before, after)})


# Each has a tiny model in tests/parity/media/test_media_parity.py.
FAMILIES: Final[dict[str, MediaFamily]] = {
    "idefics3": MediaFamily(is_nested=True),
    "smolvlm": MediaFamily(_IMAGES | _VIDEOS, is_nested=True, shows_frames_as_images=True),
    "internvl": MediaFamily(_IMAGES | _VIDEOS, shows_frames_as_images=True),
    "llava": MediaFamily(),
    "llava_next": MediaFamily(),
    "llava_onevision": MediaFamily(_IMAGES | _VIDEOS, is_nested=True, differs_alone=True),
    "gemma3": MediaFamily(sees_both_ways=_IMAGES),
    "gemma4": MediaFamily(
        _IMAGES | _AUDIO | _VIDEOS,
        sees_both_ways=_IMAGES | _VIDEOS,
        in_windows=True,
        pads_placeholders=True,
    ),
    "gemma3n": MediaFamily(_IMAGES | _AUDIO, encoder_needs=_TIMM),
    "llama4": MediaFamily(processor_needs=_TORCHVISION),
    "cohere2_vision": MediaFamily(processor_needs=_TORCHVISION),
    "kimi_k25": MediaFamily(
        around={MediaKind.IMAGE: ("<|media_begin|>image<|media_content|>", "<|media_end|>")},
        processor_needs=_TORCHVISION,
    ),
    "fast_vlm": MediaFamily(encoder_needs=_TIMM),
    "perception_lm": MediaFamily(processor_needs=_TORCHVISION, encoder_needs=_TIMM),
    "qwen2_vl": _QWEN,
    "qwen2_5_vl": _QWEN,
    "qwen2_5_omni_thinker": MediaFamily(
        _IMAGES | _AUDIO,
        around={
            MediaKind.IMAGE: ("<|vision_bos|>", "<|vision_eos|>"),
            MediaKind.AUDIO: ("<|audio_bos|>", "<|audio_eos|>"),
        },
        has_axes=True,
    ),
    "qwen3_vl": _QWEN,
    "qwen3_vl_moe": _QWEN,
    "qwen3_5": _QWEN,
    "qwen3_5_moe": _QWEN,
    "mistral3": MediaFamily(),
    "lighton_ocr": MediaFamily(),
    "lfm2_vl": MediaFamily(),
    "paligemma": MediaFamily(has_prefix=True),
    "aya_vision": MediaFamily(),
    "deepseek_vl": MediaFamily(),
    "glm4v": _GLM,
    "glm4v_moe": _GLM,
    "glm46v": _GLM,
    "glm_ocr": _GLM,
    "paddleocr_vl": MediaFamily(
        around={MediaKind.IMAGE: ("<|IMAGE_START|>", "<|IMAGE_END|>")}, has_axes=True
    ),
    "qwen2_audio": _hearing("<|audio_bos|>", "<|audio_eos|>"),
    "voxtral": _hearing("[BEGIN_AUDIO]"),
    "audioflamingo3": _hearing(),
    "qwen3_asr": _hearing("<|audio_start|>", "<|audio_end|>"),
    "glmasr": _hearing("<|begin_of_audio|>", "<|end_of_audio|>"),
}
# Why the media of some other types are not read.
_REASONS: Final = {"phi4_multimodal": "its LoRA adapters for them, one for each kind, are not applied"}
# Those that read audio and nothing else.
HEARING_TYPES: Final = frozenset(name for name, family in FAMILIES.items() if family.kinds == _AUDIO)


def family_of(config: "PreTrainedConfig") -> MediaFamily | None:
    """Return the family of a model; None for one whose media are not read."""
    family = FAMILIES.get(config.model_type)
    if family is None:
        return None
    # Only some models of Gemma 4 hear, and only the larger ones let images see both ways.
    if family.kinds > _AUDIO and config.audio_config is None:
        family = family._replace(kinds=family.kinds - _AUDIO)
    if family.in_windows:
        text: Any = config.get_text_config()
        if text.use_bidirectional_attention != "vision":
            family = family._replace(sees_both_ways=frozenset())
    return family


def why_unread(config: "PreTrainedConfig") -> str | None:
    """Return why the media of a model without a family are not read; None for a model of text only."""
    if (reason := _REASONS.get(config.model_type)) is not None:
        return reason
    parts = (getattr(config, name, None) for name in ("vision_config", "audio_config"))
    return None if all(part is None for part in parts) else f"no family here is `{config.model_type}`"


def kinds_in_words(kinds: Iterable[MediaKind]) -> str:
    """Return what a model reads, for people."""
    return " and ".join(sorted(kind.plural for kind in kinds))
