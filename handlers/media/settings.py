"""The settings of media in requests: sources and limits."""

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
    """The sources and limits of images, audio, videos and files."""

    media: Annotated[bool, env("VERBATIM_MEDIA")] = True
    """Read images, audio and videos if the model can; otherwise its encoders are not loaded."""

    media_domains: Annotated[Names, env("VERBATIM_MEDIA_DOMAINS")] = ()
    """Hosts, comma-separated, from which media may be fetched, such as *.example.com; none by default."""

    media_root: Annotated[str | None, env("VERBATIM_MEDIA_ROOT")] = None
    """Directory with files that requests may refer to by file:// URLs; none by default."""

    max_media_items: Annotated[Count, env("VERBATIM_MAX_MEDIA_ITEMS")] = DEFAULT_MEDIA_ITEMS
    """Maximum number of images, audio inputs, videos and files in a request."""

    max_media_bytes: Annotated[Count, env("VERBATIM_MAX_MEDIA_BYTES")] = 33_554_432
    """Maximum bytes of all media in a request together."""

    max_image_pixels: Annotated[int, Field(ge=1, le=MAX_IMAGE_PIXELS), env("VERBATIM_MAX_IMAGE_PIXELS")] = (
        _LIMITS.max_image_pixels
    )
    """Maximum width times height of an image or of a video frame."""

    image_background: Annotated[str, Field(pattern="^#[0-9A-Fa-f]{6}$"), env("VERBATIM_IMAGE_BACKGROUND")] = (
        "#" + bytes(_LIMITS.image_background).hex()
    )
    """Color that the model sees where an image is transparent, as #rrggbb."""

    max_video_seconds: Annotated[Duration, env("VERBATIM_MAX_VIDEO_SECONDS")] = _LIMITS.max_video_seconds
    """Maximum length of a video in seconds."""

    max_video_frames: Annotated[Count, env("VERBATIM_MAX_VIDEO_FRAMES")] = _LIMITS.max_video_frames
    """Maximum frames of a video that the model gets, at equal distances."""

    max_audio_seconds: Annotated[Duration, env("VERBATIM_MAX_AUDIO_SECONDS")] = _LIMITS.max_audio_seconds
    """Maximum length of an audio input in seconds; many models have a limit of 30."""

    media_timeout: Annotated[Seconds, env("VERBATIM_MEDIA_TIMEOUT")] = 10.0
    """Maximum seconds to fetch all URLs of a request."""

    @property
    def media_limits(self) -> MediaLimits:
        """The limits of a file, in the engine's form."""
        return MediaLimits(
            max_image_pixels=self.max_image_pixels,
            image_background=_colour(self.image_background),
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


def _colour(text: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(text.removeprefix("#"))
    return red, green, blue
