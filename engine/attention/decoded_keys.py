"""Where the rows of a batch have their keys."""

from typing import NamedTuple

from torch import Tensor

from engine.attention.kv_pages import KVPages
from engine.attention.plan import RaggedKeys


class DecodedKeys(NamedTuple):
    """Of a batch whose rows all decode.

    slots: int64 [num_rows], where their own keys and values go. visible: of each window, what rows see.
    """

    pages: KVPages
    slots: Tensor
    visible: list[RaggedKeys]
