"""The small files of a model's directory that libraries read, and the types of what these find there.

transformers ignores some of those that it cannot read, and fails at others far from where they are named.
Fields that are not listed may hold anything.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType

from engine.model.loading.checkpoint.json_files import MAX_BYTES, json_object
from engine.port.errors import ModelNotSupported
from engine.whole_file import read_whole

_Flag = bool | None | UnsetType
_Number = float | None | UnsetType  # integers too
_Numbers = float | list[float] | None | UnsetType
_Size = float | list[float] | dict[str, float | None] | None | UnsetType
_Name = str | None | UnsetType
_Ids = int | list[int] | None | UnsetType
_Token = str | dict[str, Any] | None | UnsetType


class _Generation(Struct):
    """The fields of generation_config.json."""

    do_sample: _Flag = UNSET
    temperature: _Number = UNSET
    top_k: _Number = UNSET
    top_p: _Number = UNSET
    min_p: _Number = UNSET
    typical_p: _Number = UNSET
    repetition_penalty: _Number = UNSET
    bos_token_id: _Ids = UNSET
    pad_token_id: _Ids = UNSET


class _Tokens(Struct):
    """The fields of special_tokens_map.json."""

    bos_token: _Token = UNSET
    eos_token: _Token = UNSET
    unk_token: _Token = UNSET
    pad_token: _Token = UNSET


class _NamedTemplate(Struct):
    name: str
    template: str


_Templates = str | list[_NamedTemplate] | dict[str, str] | None | UnsetType


class _ChatTemplate(Struct):
    """The field of chat_template.json."""

    chat_template: _Templates = UNSET


class _Tokenizer(_Tokens):
    """The fields of tokenizer_config.json."""

    chat_template: _Templates = UNSET
    tokenizer_class: _Name = UNSET
    processor_class: _Name = UNSET
    add_bos_token: _Flag = UNSET
    add_eos_token: _Flag = UNSET
    clean_up_tokenization_spaces: _Flag = UNSET
    added_tokens_decoder: dict[str, dict[str, Any]] | UnsetType = UNSET


class _Media(Struct):
    """The fields of a processor's part for images, audio or videos."""

    do_resize: _Flag = UNSET
    do_rescale: _Flag = UNSET
    do_normalize: _Flag = UNSET
    do_center_crop: _Flag = UNSET
    do_convert_rgb: _Flag = UNSET
    do_sample_frames: _Flag = UNSET
    image_mean: _Numbers = UNSET
    image_std: _Numbers = UNSET
    rescale_factor: _Number = UNSET
    resample: _Number = UNSET
    size: _Size = UNSET
    crop_size: _Size = UNSET
    max_image_size: _Size = UNSET
    patch_size: _Size = UNSET
    merge_size: _Number = UNSET
    temporal_patch_size: _Number = UNSET
    min_pixels: _Number = UNSET
    max_pixels: _Number = UNSET
    fps: _Number = UNSET
    num_frames: _Number = UNSET
    min_frames: _Number = UNSET
    max_frames: _Number = UNSET
    video_sampling: dict[str, Any] | None | UnsetType = UNSET
    feature_size: _Number = UNSET
    sampling_rate: _Number = UNSET
    hop_length: _Number = UNSET
    n_fft: _Number = UNSET
    image_processor_type: _Name = UNSET
    video_processor_type: _Name = UNSET
    feature_extractor_type: _Name = UNSET
    processor_class: _Name = UNSET


class _Processor(Struct):
    """The fields of processor_config.json."""

    image_processor: _Media | None | UnsetType = UNSET
    video_processor: _Media | None | UnsetType = UNSET
    feature_extractor: _Media | None | UnsetType = UNSET
    audio_processor: _Media | None | UnsetType = UNSET
    processor_class: _Name = UNSET
    patch_size: _Size = UNSET


class _Pooling(Struct):
    """The field of the configuration of a layer that pools."""

    pooling_mode: str | list[str] | None | UnsetType = UNSET


_TYPES: Final[Mapping[str, Any]] = {
    "generation_config.json": _Generation,
    "tokenizer_config.json": _Tokenizer,
    "special_tokens_map.json": _Tokens,
    "added_tokens.json": dict[str, int],
    "chat_template.json": _ChatTemplate,
    "preprocessor_config.json": _Media,
    "video_preprocessor_config.json": _Media,
    "processor_config.json": _Processor,
    "model.safetensors.index.json": dict[str, Any],
    "1_Pooling/config.json": _Pooling,
}
_TEMPLATES: Final = ("*.jinja", "additional_chat_templates/*.jinja")


def check_described_files(directory: Path) -> None:
    """Raise ModelNotSupported for a small file of the model that is no JSON object or no text, or of which a
    field has another type than it must have.
    """
    for name, kind in _TYPES.items():
        if (path := directory / name).is_file():
            found = json_object(path)
            try:
                msgspec.convert(found, kind)
            except msgspec.ValidationError as error:
                raise ModelNotSupported(f"{path} cannot be used: {error}") from error
    for pattern in _TEMPLATES:
        for path in sorted(directory.glob(pattern)):
            _check_text(path)


def _check_text(path: Path) -> None:
    try:
        read_whole(path, MAX_BYTES).decode()
    except (OSError, ValueError) as error:
        raise ModelNotSupported(f"{path} holds no text in UTF-8: {' '.join(str(error).split())}") from error
