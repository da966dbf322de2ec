"""Images, audio and video of a prompt, before and after the model's own processor; no torch."""

from base64 import b64encode
from collections.abc import Callable, Container, Sequence
from typing import Protocol

import msgspec

from engine.port.request import MediaKind, Prompt


class MediaItem(msgspec.Struct, frozen=True):
    """One file that a client sent or named.

    data: the file as it came, encoded (PNG, JPEG, WAV, MP4, ...).
    """

    kind: MediaKind
    data: bytes


class MediaProcessor(Protocol):
    """Turns files into what a model reads. All methods compute, so they are called in worker threads."""

    @property
    def kinds(self) -> frozenset[MediaKind]:
        """The kinds that the model reads."""
        ...

    def placeholder(self, kind: MediaKind) -> str:
        """Return the text by which the model's chat template marks the place of an item of this kind."""
        ...

    def expand(self, token_ids: Sequence[int], items: Sequence[MediaItem]) -> Prompt:
        """Return the prompt in which each item has the tokens that keep its place.

        token_ids: a prompt with one placeholder for each item, in the order of the items. Raises
        InvalidMedia, which has the index of the item, for a file that cannot be read or that is too large,
        and InvalidRequest if the numbers of placeholders and items differ.
        """
        ...


class FilePrompt(Prompt, frozen=True):
    """A prompt with the files of its media, for another process whose own processor reads them.

    placeholder_token_ids: the prompt before it was expanded, with one placeholder for each file. sources: the
    files as data URLs in ASCII, in the order of their placeholders; bodies are sent from them without a copy.
    """

    placeholder_token_ids: tuple[int, ...] = ()
    sources: tuple[bytes, ...] = ()


def unexpanded(prompt: Prompt) -> FilePrompt:
    """Return a prompt as another process gets it: with its files, and one placeholder for each."""
    if isinstance(prompt, FilePrompt):
        return prompt
    assert not prompt.media, "prompts with media are created by a processor that keeps files"
    return FilePrompt(prompt.token_ids, placeholder_token_ids=prompt.token_ids)


class FileKeeper:
    """A MediaProcessor whose prompts are FilePrompts. Any thread may call its methods."""

    def __init__(
        self,
        processor: MediaProcessor,
        kinds: Container[MediaKind] = frozenset(MediaKind),
        sent: Callable[[int, MediaItem], bytes] = lambda index, item: item.data,
    ) -> None:
        """Wrap a processor.

        kinds: the kinds of files that are passed on, if the processor reads them. sent: returns the bytes
        that stand for a file which the processor has read, given its index too, or raises InvalidMedia.
        """
        self._processor = processor
        self.kinds = frozenset(kind for kind in processor.kinds if kind in kinds)
        self._sent = sent

    def only(self, kinds: Container[MediaKind]) -> "FileKeeper":
        """Return the same for some of its kinds."""
        return FileKeeper(self._processor, [kind for kind in self.kinds if kind in kinds], self._sent)

    def placeholder(self, kind: MediaKind) -> str:
        """Return the processor's."""
        return self._processor.placeholder(kind)

    def expand(self, token_ids: Sequence[int], items: Sequence[MediaItem]) -> FilePrompt:
        """Return the processor's prompt with the files. Raises as the processor does."""
        prompt = self._processor.expand(token_ids, items)
        sources = tuple(_data_url(self._sent(index, item)) for index, item in enumerate(items))
        return FilePrompt(prompt.token_ids, prompt.media, tuple(token_ids), sources)


def _data_url(data: bytes) -> bytes:
    """Return bytes as a data URL; readers see from the content what it is."""
    return b"data:application/octet-stream;base64," + b64encode(data)
