"""The protocol for readers of files of one kind for a model, before its encoder."""

from typing import NamedTuple, Protocol

from engine.media.processed_item import Arrays


class CannotProcess(Exception):
    """A model's processor cannot be loaded, or refuses a file. Its text says why."""


class ReadFile(NamedTuple):
    """One file as the model's processor makes it.

    text: what keeps its place in a prompt. arrays: the encoder's arguments by name, among others. grids,
    time_step: as in `ProcessedItem`.
    """

    text: str
    arrays: Arrays
    grids: tuple[tuple[int, int, int], ...] = ()
    time_step: float = 1.0


class MediaReader(Protocol):
    """Reads files of one kind. Any thread may call it."""

    @property
    def placeholder(self) -> str:
        """The text of the token that stands for a file in a prompt before it is processed."""
        ...

    @property
    def embedded_id(self) -> int:
        """The id of the tokens whose embeddings the encoder's rows replace."""
        ...

    @property
    def settings(self) -> bytes:
        """A digest of all that a result depends on besides the file."""
        ...

    def read(self, data: bytes, *, is_alone: bool) -> ReadFile:
        """Return what becomes of a file. is_alone: whether its prompt has no other of its kind.

        Raises CannotDecode where it is no such file or over its bounds, and CannotProcess where the model's
        processor refuses it.
        """
        ...

    def plain(self, data: bytes) -> bytes:
        """Return a file in which programs that decode otherwise find the same, as far as there is one.

        Raises CannotDecode.
        """
        ...
