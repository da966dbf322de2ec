"""The slots and pages that the decoding rows of a batch write and read."""

from typing import NamedTuple

from torch import Tensor

from engine.attention.kv_cache.pages import KVPages
from engine.attention.plan import RaggedKeys


class DecodedKeys(NamedTuple):
    """The keys and values of a batch whose rows all decode.

    slots: int64 [num_rows], the slots to which the rows write. visible: for each window, the keys that the
    rows see. writes_first: whether rows see keys of other rows, so that all are written before any is read.
    """

    pages: KVPages
    slots: Tensor
    visible: list[RaggedKeys]
    writes_first: bool
