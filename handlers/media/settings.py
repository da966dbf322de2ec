"""The settings of what requests may bring beside text, and from where."""

import os
from typing import Annotated

from pydantic import Field, field_validator

from engine.config import MAX_IMAGE_PIXELS, MediaLimits
from handlers.chat.media import DEFAULT_MEDIA_ITEMS
from handlers.media.domains import Domain, InvalidDomain
from handlers.shared_settings.kinds import Count, Duration, Names, Seconds, env
from handlers.shared_settings.section import Section

_LIMITS = MediaLimits()


class MediaSettings(Section):
    """The sources and the bounds of images, sounds, videos and files."""

    media: Annotated[bool, env("VERBATIM_MEDIA")] = True
    """Read images if the model can; if not, the part of it that reads them is not loaded."""

    media_domains: Annotated[Names, env("VERBATIM_MEDIA_DOMAINS")] = ()
    """Hosts, comma-separated, to fetch images and the like from, such as *.example.com; none by default."""

    media_root: Annotated[str | None, env("VERBATIM_MEDIA_ROOT")] = None
    """Directory from which requests may name files by file:// URLs; none by default."""

    max_media_items: Annotated[Count, env("VERBATIM_MAX_MEDIA_ITEMS")] = DEFAULT_MEDIA_ITEMS
    """Images, sounds, videos and files that a request may have."""

    max_media_bytes: Annotated[Count, env("VERBATIM_MAX_MEDIA_BYTES")] = 33_554_432
    """Size in bytes of all of them together."""

    max_image_pixels: Annotated[int, Field(ge=1, le=MAX_IMAGE_PIXELS), env("VERBATIM_MAX_IMAGE_PIXELS")] = (
        _LIMITS.max_image_pixels
    )
    """Width times height of an image, or of a video's frame."""

    max_video_seconds: Annotated[Duration, env("VERBATIM_MAX_VIDEO_SECONDS")] = _LIMITS.max_video_seconds
    """Seconds that a video may take."""

    max_video_frames: Annotated[Count, env("VERBATIM_MAX_VIDEO_FRAMES")] = _LIMITS.max_video_frames
    """Frames of a video that a model gets at most; they are spread over all of it."""

    max_audio_seconds: Annotated[Duration, env("VERBATIM_MAX_AUDIO_SECONDS")] = _LIMITS.max_audio_seconds
    """Seconds of a sound; many models read no more than 30."""

    media_timeout: Annotated[Seconds, env("VERBATIM_MEDIA_TIMEOUT")] = 10.0
    """Seconds that fetching all of a request's URLs may take."""

    @property
    def media_limits(self) -> MediaLimits:
        """The limits of one file, as the engine takes them."""
        return MediaLimits(
            max_image_pixels=self.max_image_pixels,
            max_audio_seconds=self.max_audio_seconds,
            max_video_seconds=self.max_video_seconds,
            max_video_frames=self.max_video_frames,
        )

    @field_validator("media_domains")
    @classmethod
    def _are_domains(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            try:
                Domain.parse(name)
            except InvalidDomain as error:
                raise ValueError(str(error)) from error
        return names

    @field_validator("media_root")
    @classmethod
    def _is_a_directory(cls, path: str | None) -> str | None:
        if path is not None and not os.path.isdir(path):
            raise ValueError(f"{path!r} is no directory")
        return path
