"""The bounds of what becomes of one file."""

from typing import NamedTuple

from engine.config import EngineConfig


class MediaLimits(NamedTuple):
    """The most that a file may hold; the fields of the engine's configuration of the same names."""

    max_image_pixels: int
    max_audio_seconds: float
    max_video_seconds: float
    max_video_frames: int

    @classmethod
    def of(cls, config: EngineConfig) -> "MediaLimits":
        """Return those of a configuration."""
        return cls(
            config.max_image_pixels,
            config.max_audio_seconds,
            config.max_video_seconds,
            config.max_video_frames,
        )
