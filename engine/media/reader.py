"""What reads files of one kind for a model, before its encoder."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from torch import Tensor


class CannotProcess(Exception):
    """A model's processor cannot be loaded, or refuses a file. Its text says why."""


class ReadFile(NamedTuple):
    """One file as the model's processor makes it.

    text: what keeps its place in a prompt. tensors: the encoder's arguments by name, among others. grids: as
    in `ProcessedItem`.
    """

    text: str
    tensors: Mapping[str, Tensor]
    grids: tuple[tuple[int, int, int], ...] = ()


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
        """Return what becomes of a file. is_alone: whether it is the only one of its prompt.

        Raises CannotDecode where it is no such file or over its bounds, and CannotProcess where the model's
        processor refuses it.
        """
        ...
