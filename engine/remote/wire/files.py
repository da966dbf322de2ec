"""The files of a prompt in a request's body; no torch."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from engine.media_item import FilePrompt
from engine.request import MediaKind, Prompt

FILES: Final = "content_parts"  # the field of vLLM's token API

FileType = Literal["image_url", "audio_url", "video_url"]

_TYPES: Final[Mapping[MediaKind, FileType]] = {
    MediaKind.IMAGE: "image_url",
    MediaKind.AUDIO: "audio_url",
    MediaKind.VIDEO: "video_url",
}


def with_files(body: bytes, prompt: Prompt) -> Sequence[bytes]:
    """Return a JSON object with the prompt's files as its last field, in parts, which are not joined.

    A request with many sequences sends its files once for each, and joined they would be in memory as often.
    """
    if not (files := file_parts(prompt)):
        return (body,)
    parts = [body[:-1], b',"%b":[' % FILES.encode()]
    for place, (kind, source) in enumerate(files):
        parts += [b'%b{"type":"%b","url":"' % (b"," if place else b"", kind.encode()), source, b'"}']
    return (*parts, b"]}")


def file_parts(prompt: Prompt) -> list[tuple[FileType, bytes]]:
    """Return the `type` and the `url` of each file of a prompt, in the order of their markers."""
    if not prompt.media:
        return []
    assert isinstance(prompt, FilePrompt), "a processor that keeps files made it"
    return [(_TYPES[media.kind], source) for media, source in zip(prompt.media, prompt.sources, strict=True)]
