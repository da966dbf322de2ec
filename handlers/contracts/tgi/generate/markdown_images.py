"""Images in prompts of `/generate`, in Markdown: `![](url)`."""

from collections.abc import Iterator
from typing import NamedTuple

from engine.port.request import MediaKind
from handlers.chat.messages import MediaPart

_FIELD = "inputs"


class PromptWithImages(NamedTuple):
    """A prompt with a placeholder in the place of each image."""

    text: str
    images: tuple[MediaPart, ...] = ()


class _Found(NamedTuple):
    start: int
    end: int
    url: str


def with_placeholders(text: str, placeholder: str) -> PromptWithImages:
    """Return the prompt with its images taken out."""
    pieces: list[str] = []
    images: list[MediaPart] = []
    end = 0
    for found in _images(text):
        pieces += (text[end : found.start], placeholder)
        images.append(MediaPart(MediaKind.IMAGE, found.url, _FIELD))
        end = found.end
    return PromptWithImages("".join((*pieces, text[end:])), tuple(images))


def _images(text: str) -> Iterator[_Found]:
    """Yield what the pattern `!\\[[^\\]]*\\]\\(([^)]*)\\)` would find.

    The time grows as the text does, since the same bracket is not looked for twice.
    """
    start, close = text.find("!["), -1
    while start >= 0:
        if close < start:
            close = text.find("]", start)
        if close < 0:
            return
        after = start + 1
        if text.startswith("](", close):
            end = text.find(")", close)
            if end < 0:
                return
            yield _Found(start, end + 1, text[close + 2 : end])
            after = end + 1
        start = text.find("![", after)
