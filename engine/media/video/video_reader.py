"""The reader of videos, by the arithmetic of transformers' video processors."""

import hashlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
from msgspec.structs import astuple
from numpy.typing import NDArray
from PIL import Image
from transformers import PreTrainedConfig
from transformers.video_utils import VideoMetadata

from engine.config import MediaLimits
from engine.media.families import MediaFamily
from engine.media.files.cannot_decode import CannotDecode
from engine.media.files.measured_video import MeasuredVideo, VideoLength, VideoLimits
from engine.media.process.client import Pixels
from engine.media.processed_item import Arrays
from engine.media.readers.media_reader import CannotProcess, ReadFile
from engine.media.readers.whole_processor import (
    IMAGES_FILE,
    SETTINGS_FILE,
    WholeProcessor,
    digest_of,
    stored_settings,
)
from engine.media.video.frames import Frames, measure_frames, read_frames
from engine.media.video.sampling import Settings
from engine.media.video.video_format import VIDEO_FORMATS, Pictures, VideoFormat
from engine.port.text.tokenizer import Tokenizer

# The first that is there has the settings; transformers looks for them in this order.
_FILES: Final = (SETTINGS_FILE, "video_preprocessor_config.json", IMAGES_FILE)
_OF_VIDEOS: Final = "video_processor"
_GRID: Final = "video_grid_thw"
_STEPS: Final = ("do_resize", "do_rescale")
_TRIAL: Final = MeasuredVideo(VideoLength(num_frames=96, rate=24.0), height=480, width=640)


class VideoReader:
    """A `MediaReader` of videos."""

    def __init__(
        self,
        directory: Path,
        images: Any,
        whole: WholeProcessor,
        config: PreTrainedConfig,
        family: MediaFamily,
        tokenizer: Tokenizer,
        limits: MediaLimits,
        *,
        keeps_arrays: bool,
    ) -> None:
        """Make a reader of videos. Raises CannotProcess for a model that it cannot read videos for.

        images: transformers' processor of the model's images.
        keeps_arrays: whether media have the arrays that the encoder reads, as in load_readers.
        """
        self._config = config
        self._whole = whole
        self._limits = limits
        self._keeps_arrays = keeps_arrays
        self._format: VideoFormat = VIDEO_FORMATS[config.model_type]
        name, stored = _stored(directory)
        if stored.get("cap_pixels_per_frame"):
            raise CannotProcess("the processor of videos bounds the pixels of a frame by those of all")
        if any(stored.get(step) is False for step in _STEPS):
            raise CannotProcess(f"the processor of videos leaves out one of {', '.join(_STEPS)}")
        try:
            self._settings = _settings(stored, images, self._format)
            self._try_settings()
        except Exception as error:  # whatever settings bring up that lack something or do not go together
            reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
            raise CannotProcess(f"{directory / name} cannot be used: {reason}") from error
        self.placeholder: str = whole.video_token
        if len(tokenizer.encode(self.placeholder, add_special_tokens=False)) != 1:
            raise CannotProcess(f"the tokenizer has no token {self.placeholder}")
        whole.video_processor = SimpleNamespace(**self._settings)  # the texts go by its sizes
        self.embedded_id: int = (
            config.image_token_id if family.shows_frames_as_images else config.video_token_id
        )
        bounds = json.dumps([self._settings, *astuple(limits)], sort_keys=True).encode()
        self.settings = hashlib.sha256(digest_of(whole, images) + bounds).digest()

    def read(self, data: bytes, *, is_alone: bool) -> ReadFile:
        """Return what becomes of a video; see `MediaReader`."""
        limits = VideoLimits(self._limits.max_video_seconds, self._limits.max_image_pixels)
        frames, pictures = self._pictures(data, limits)
        try:
            arrays = self._format.arrays(pictures, self._settings)
            metadata = VideoMetadata(
                total_num_frames=frames.length.num_frames,
                fps=frames.length.rate,
                duration=frames.length.seconds,
                frames_indices=list(frames.indices),
            )
            described = {**arrays, "video_metadata": [metadata]}
            text: str = self._whole.replace_video_token(described, video_idx=0)
        except Exception as error:  # processors raise whatever they meet
            raise CannotProcess(f"the model's processor refuses the video: {error}") from error
        arguments = self._format.arguments(arrays)
        rate = len(frames.indices) / frames.length.seconds
        time_step = self._format.time_step(self._settings, self._config, rate)
        return ReadFile(text, arguments, self._grids(arrays), time_step)

    def plain(self, data: bytes) -> bytes:
        """Return the file as it is, of which others choose frames of their own; see `MediaReader`."""
        return data

    def _try_settings(self) -> None:
        """Choose and scale the frames of a video that is not there. Raises whatever the settings bring up."""
        indices = self._choose(_TRIAL.length)
        self._format.sizes(self._settings, len(indices), (_TRIAL.height, _TRIAL.width))
        self._normalized(np.zeros((1, 1, 3), np.uint8))
        int(self._settings["resample"])

    def _choose(self, length: VideoLength) -> list[int]:
        return self._format.choose(length, self._settings, self._limits.max_video_frames)

    def _sizes(self, num_frames: int, size: tuple[int, int]) -> list[tuple[int, int]]:
        """Return the sizes that each of so many frames is scaled to, as far as they are within the bounds."""
        try:
            given = self._format.sizes(self._settings, num_frames, size)
            sizes = [(int(height), int(width)) for height, width in given]
        except Exception as error:  # as above, or settings that lack something
            raise CannotDecode(f"the model's processor refuses the video: {error}") from error
        for height, width in sizes:
            if min(height, width) < 1:
                raise CannotDecode(f"the model would read frames of {width} × {height} pixels of the video")
            if (number := num_frames * height * width) > self._limits.max_image_pixels:
                raise CannotDecode(
                    f"the model reads {num_frames} frames of {width} × {height} pixels of the video, "
                    f"{number:,} together; {self._limits.max_image_pixels:,} are the most"
                )
        return sizes

    def _pictures(self, data: bytes, limits: VideoLimits) -> tuple[Frames, Pictures]:
        """Return the chosen frames as the encoder gets them; if there is none here, zeros without memory."""
        if not self._keeps_arrays:
            frames, size = measure_frames(data, self._choose, self._sizes, limits)
            return frames, [np.broadcast_to(np.float32(0), (3, *size))] * len(frames.indices)
        resample = int(self._settings["resample"])
        frames, found = read_frames(data, self._choose, self._sizes, resample, limits)
        return frames, [self._normalized(pixels) for pixels in found]

    def _normalized(self, pixels: Pixels) -> NDArray[np.float32]:
        """Return a frame as the encoder gets it, [3, height, width]."""
        settings = self._settings
        mean, deviation = (np.array(settings[name], np.float32) for name in ("image_mean", "image_std"))
        values = pixels.astype(np.float32) * np.float32(settings["rescale_factor"])
        return np.ascontiguousarray(((values - mean) / deviation).transpose(2, 0, 1))

    def _grids(self, arrays: Arrays) -> tuple[tuple[int, int, int], ...]:
        """Return the patches that become one token each, where positions have axes."""
        if _GRID not in arrays:
            return ()
        time, height, width = arrays[_GRID][0].tolist()
        merged = self._settings["merge_size"]
        grid = (height // merged, width // merged)
        return ((1, *grid),) * time if self._format.has_times else ((time, *grid),)


def _stored(directory: Path) -> tuple[str, Settings]:
    """Return the settings of the processor of videos, and the name of the file that has them."""
    for name in _FILES:
        stored = stored_settings(directory / name)
        if stored := stored.get(_OF_VIDEOS) or {} if name == SETTINGS_FILE else stored:
            return name, stored
    return SETTINGS_FILE, {}


def _settings(stored: Settings, images: Any, video_format: VideoFormat) -> Settings:
    """Return the stored settings with what they leave to the processor's class."""
    common = {
        "resample": Image.Resampling.BICUBIC,
        "rescale_factor": 1 / 255,
        "image_mean": images.image_mean,
        "image_std": images.image_std,
    }
    given = {name: value for name, value in stored.items() if value is not None}
    if sampled := given.get("video_sampling"):  # SmolVLM's older way to say so
        given |= {"num_frames": sampled["max_frames"], "fps": sampled["fps"], "size": sampled["video_size"]}
    edges = {"min_pixels": "shortest_edge", "max_pixels": "longest_edge"}  # Qwen2-VL's
    if own := {edge: given[name] for name, edge in edges.items() if name in given}:
        given["size"] = {**video_format.defaults["size"], **given.get("size", {}), **own}
    if given.get("do_normalize") is False:
        given |= {"image_mean": [0.0] * 3, "image_std": [1.0] * 3}
    return {**common, **video_format.defaults, **given}
