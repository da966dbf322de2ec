"""The settings of what requests may bring beside text, and from where."""

import os
from typing import Annotated

from pydantic import field_validator

from handlers.chat.media import DEFAULT_MEDIA_ITEMS
from handlers.media.domains import Domain, InvalidDomain
from handlers.shared_settings.kinds import Count, Names, Seconds, env
from handlers.shared_settings.section import Section


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

    max_image_pixels: Annotated[Count, env("VERBATIM_MAX_IMAGE_PIXELS")] = 33_554_432
    """Width times height of an image."""

    media_timeout: Annotated[Seconds, env("VERBATIM_MEDIA_TIMEOUT")] = 10.0
    """Seconds that fetching all of a request's URLs may take."""

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
