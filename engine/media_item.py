"""Images, audio and video of a prompt, before and after the model's own processor; no torch."""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from engine.request import MediaKind, Prompt


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

    def marker(self, kind: MediaKind) -> str:
        """Return the text by which the model's chat template marks the place of an item of this kind."""
        ...

    def expand(self, token_ids: Sequence[int], items: Sequence[MediaItem]) -> Prompt:
        """Return the prompt in which each item has the tokens that keep its place.

        token_ids: a prompt with one marker for each item, in the order of the items. Raises InvalidMedia,
        which has the index of the item, for a file that cannot be read or that is too large, and
        InvalidRequest if the numbers of markers and items differ.
        """
        ...
