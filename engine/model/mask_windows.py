"""The windows of the attention masks that a model makes."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS


@contextmanager
def windows_recorded(attention_name: str) -> Iterator[set[int | None]]:
    """Give the windows, in tokens, of the masks that are made for this attention within the block.

    None is of a mask of all tokens before.

    Masks are made as without this; under our own name, there are none.
    """
    windows: set[int | None] = set()
    masks: dict[str, Any] = ALL_MASK_ATTENTION_FUNCTIONS._global_mapping
    usual = masks.get(attention_name)

    def record(*args: Any, local_size: int | None = None, **named: Any) -> Any:
        windows.add(local_size)
        return None if usual is None else usual(*args, local_size=local_size, **named)

    masks[attention_name] = record
    try:
        yield windows
    finally:
        if usual is None:
            del masks[attention_name]
        else:
            masks[attention_name] = usual
