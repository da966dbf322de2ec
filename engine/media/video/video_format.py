"""The arithmetic by which each family reads a video, where its own processor of videos needs torchvision."""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from transformers.models.gemma4.image_processing_pil_gemma4 import get_aspect_ratio_preserving_size

# That of the videos of GLM and Qwen3-VL, whose own modules need torch.
from transformers.models.glm4v.image_processing_pil_glm4v import smart_resize as smart_resize_of_all
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import smart_resize

from engine.media.files.measured_video import VideoLength
from engine.media.processed_item import Arrays
from engine.media.video import sampling
from engine.media.video.sampling import Settings

Pictures = Sequence[NDArray[np.float32]]  # each [3, height, width]
Size = tuple[int, int]  # height, width


class VideoFormat(NamedTuple):
    """The arithmetic of a family.

    choose: positions of frames. sizes: those that a frame of this height and width is scaled to, one after
    the other, of so many frames. arrays: of the scaled frames, by the names that the texts of transformers'
    processors go by. defaults: of the settings. arguments: of the encoder, from these arrays. has_times:
    whether text stands between the patches of one time and those of the next. time_step: the positions from
    one patch to the next in time, by the model's configuration and the frames that it gets of each second.
    """

    choose: Callable[[VideoLength, Settings, int], list[int]]
    sizes: Callable[[Settings, int, Size], list[Size]]
    arrays: Callable[[Pictures, Settings], Arrays]
    defaults: Settings
    arguments: Callable[[Arrays], Arrays] = dict
    has_times: bool = False
    time_step: Callable[[Settings, Any, float], float] = lambda settings, config, rate: 1.0


def _size_of_patches(settings: Settings, num_frames: int, size: Size) -> list[Size]:
    """Return the size that is a multiple of merged patches, each frame by itself (Qwen2-VL)."""
    bounds = settings["size"]
    factor = settings["patch_size"] * settings["merge_size"]
    height, width = smart_resize(
        *size, factor=factor, min_pixels=bounds["shortest_edge"], max_pixels=bounds["longest_edge"]
    )
    return [(height, width)]


def _size_of_all_patches(settings: Settings, num_frames: int, size: Size) -> list[Size]:
    """Return the size that is a multiple of merged patches, all frames together being bounded."""
    bounds = settings["size"]
    height, width = smart_resize_of_all(
        num_frames,
        *size,
        temporal_factor=settings["temporal_patch_size"],
        factor=settings["patch_size"] * settings["merge_size"],
        min_pixels=bounds["shortest_edge"],
        max_pixels=bounds["longest_edge"],
    )
    return [(height, width)]


def _size_of_pairs(settings: Settings, num_frames: int, size: Size) -> list[Size]:
    """Return that size where a frame repeated at the end counts too (GLM-4V)."""
    num_frames += -num_frames % settings["temporal_patch_size"]
    return _size_of_all_patches(settings, num_frames, size)


def _size_of_pooled_patches(settings: Settings, num_frames: int, size: Size) -> list[Size]:
    """Return the largest size of the same shape whose patches, pooled, are a frame's tokens (Gemma 4)."""
    pooled = settings["pooling_kernel_size"]
    height, width = get_aspect_ratio_preserving_size(
        *size,
        patch_size=settings["patch_size"],
        max_patches=settings["max_soft_tokens"] * pooled**2,
        pooling_kernel_size=pooled,
    )
    return [(height, width)]


def _one_size(settings: Settings, num_frames: int, size: Size) -> list[Size]:
    return [(settings["size"]["height"], settings["size"]["width"])]


def _size_by_longest_edge(settings: Settings, num_frames: int, size: Size) -> list[Size]:
    """Return the size of the longest edge, the other even, and then that of the encoder (SmolVLM)."""
    height, width = size
    longest, ratio = min(settings["size"]["longest_edge"], 4096), width / height
    is_wide = width >= height
    first = (_even(longest / ratio), longest) if is_wide else (longest, _even(longest * ratio))
    side = settings["max_image_size"]["longest_edge"]
    return [(max(first[0], 1), max(first[1], 1)), (side, side)]


def _even(length: float) -> int:
    return int(length) + int(length) % 2


def _patches(pictures: Pictures, settings: Settings) -> Arrays:
    """Return the patches of a video, [num_patches, patch], in the order of the encoder's (Qwen-VL).

    The last frame is repeated where frames are missing for a patch of time.
    """
    side, merged, step = settings["patch_size"], settings["merge_size"], settings["temporal_patch_size"]
    frames = _stacked([*pictures, *[pictures[-1]] * (-len(pictures) % step)])
    num_frames, channels, height, width = frames.shape
    grid = (num_frames // step, height // side, width // side)
    parts = frames.reshape(
        *(grid[0], step, channels),
        *(grid[1] // merged, merged, side),
        *(grid[2] // merged, merged, side),
    ).transpose(0, 3, 6, 4, 7, 2, 1, 5, 8)
    patches = parts.reshape(np.prod(grid), -1)
    return {"pixel_values_videos": patches, "video_grid_thw": np.array([grid])}


def _padded_patches(pictures: Pictures, settings: Settings) -> Arrays:
    """Return the patches of each frame, [num_frames, max_patches, patch], and their places (Gemma 4).

    After the patches are zeros, whose places are -1.
    """
    side, num_pooled = settings["patch_size"], settings["pooling_kernel_size"] ** 2
    frames = np.stack(pictures)
    num_frames, channels, height, width = frames.shape
    rows, columns = height // side, width // side
    patches = frames.reshape(num_frames, channels, rows, side, columns, side).transpose(0, 2, 4, 3, 5, 1)
    places = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), axis=-1).reshape(1, -1, 2)
    missing = ((0, 0), (0, settings["max_soft_tokens"] * num_pooled - rows * columns), (0, 0))
    return {
        "pixel_values_videos": np.pad(patches.reshape(num_frames, rows * columns, -1), missing),
        "video_position_ids": np.pad(places.repeat(num_frames, axis=0), missing, constant_values=-1),
        "num_frames_per_video": np.array([num_frames]),
        "num_soft_tokens_per_video": np.array([rows * columns // num_pooled]),
    }


def _arguments_of_images(arrays: Arrays) -> Arrays:
    """Return the patches of a video as those of one image for each patch of time (GLM-4V)."""
    (time, height, width), patches = arrays["video_grid_thw"][0], arrays["pixel_values_videos"]
    return {"pixel_values": patches, "image_grid_thw": np.array([[1, height, width]] * time)}


def _frames(pictures: Pictures, settings: Settings) -> Arrays:
    """Return the frames of a video, [1, num_frames, 3, height, width]."""
    return {"pixel_values_videos": _stacked(pictures)[None]}


def _frames_and_mask(pictures: Pictures, settings: Settings) -> Arrays:
    """Return the frames of a video as of one that has images, with a mask of all their pixels (SmolVLM)."""
    frames = _stacked(pictures)[None]
    return {
        "pixel_values": frames,
        "pixel_attention_mask": np.broadcast_to(np.int64(1), frames[:, :, 0].shape),
    }


def _time_step_by_seconds(settings: Settings, config: Any, rate: float) -> float:
    """Return the positions that a patch of time takes, of which each second has as many (Qwen2.5-VL)."""
    return float(config.vision_config.tokens_per_second * np.float32(settings["temporal_patch_size"] / rate))


def _stacked(pictures: Pictures) -> NDArray[np.float32]:
    """Return frames as one array; of those that take no memory, since only their shape counts, a view."""
    first = pictures[0]
    if any(first.strides):
        return np.stack(pictures)
    return np.broadcast_to(first, (len(pictures), *first.shape))


_QWEN: Final = {"merge_size": 2, "temporal_patch_size": 2, "min_frames": 4, "max_frames": 768, "fps": 2}
_QWEN2: Final = VideoFormat(
    sampling.in_pairs,
    _size_of_patches,
    _patches,
    _QWEN | {"patch_size": 14, "size": {"shortest_edge": 128 * 28 * 28, "longest_edge": 28 * 28 * 768}},
)
_GLM: Final = VideoFormat(
    sampling.by_seconds,
    _size_of_pairs,
    _patches,
    {"merge_size": 2, "temporal_patch_size": 2, "patch_size": 14, "fps": 2, "max_duration": 300}
    | {"size": {"shortest_edge": 112 * 112, "longest_edge": 28 * 28 * 2 * 30_000}},
    _arguments_of_images,
    has_times=True,
)
# Where a family's settings say nothing, the frames of its published examples.
VIDEO_FORMATS: Final[dict[str, VideoFormat]] = {
    "qwen2_vl": _QWEN2,
    "qwen2_5_vl": _QWEN2._replace(time_step=_time_step_by_seconds),
    **dict.fromkeys(
        ("qwen3_vl", "qwen3_vl_moe", "qwen3_5", "qwen3_5_moe"),
        VideoFormat(
            sampling.by_rate,
            _size_of_all_patches,
            _patches,
            _QWEN
            | {"patch_size": 16, "size": {"shortest_edge": 128 * 32 * 32, "longest_edge": 32 * 32 * 768}}
            | {"image_mean": [0.5] * 3, "image_std": [0.5] * 3},
            has_times=True,
        ),
    ),
    **dict.fromkeys(("glm4v", "glm4v_moe"), _GLM),
    **dict.fromkeys(("glm46v", "glm_ocr"), _GLM._replace(choose=sampling.by_length)),
    "gemma4": VideoFormat(
        sampling.evenly,
        _size_of_pooled_patches,
        _padded_patches,
        {"num_frames": 32, "patch_size": 16, "max_soft_tokens": 70, "pooling_kernel_size": 3}
        | {"image_mean": [0.0] * 3, "image_std": [1.0] * 3},
        has_times=True,
    ),
    "internvl": VideoFormat(
        sampling.from_the_middle,
        _one_size,
        _frames,
        {"num_frames": 8, "size": {"height": 384, "width": 384}},
        arguments=lambda arrays: {"pixel_values": arrays["pixel_values_videos"][0]},
    ),
    "llava_onevision": VideoFormat(
        sampling.evenly, _one_size, _frames, {"num_frames": 32, "size": {"height": 384, "width": 384}}
    ),
    "smolvlm": VideoFormat(
        sampling.without_ends,
        _size_by_longest_edge,
        _frames_and_mask,
        {"num_frames": 64, "fps": 1, "size": {"longest_edge": 4 * 364}}
        | {"max_image_size": {"longest_edge": 364}, "resample": 1}
        | {"image_mean": [0.5] * 3, "image_std": [0.5] * 3},
    ),
}
