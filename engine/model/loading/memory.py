"""The memory that a model's weights take, from the headers of their files."""

from collections.abc import Mapping
from pathlib import Path

import torch

from engine.attention.kv_cache.budget import total_bytes
from engine.model.loading.checkpoint.stored_tensors import StoredTensor
from engine.model.loading.unread_linears import UnreadLinears
from engine.port.errors import ModelNotSupported


def stored_bytes(tensors: Mapping[str, StoredTensor] | None) -> int:
    """Return the number of bytes that the tensors take in their files; 0 if nothing lists them."""
    return sum(tensor.num_bytes for tensor in (tensors or {}).values())


def memory_of(tensors: Mapping[str, StoredTensor] | None, dtype: torch.dtype, unread: UnreadLinears) -> int:
    """Return the number of bytes that the tensors take in memory, in this dtype; 0 if nothing lists them.

    Integers stay as they are stored. unread: those that stay in groups.
    """
    in_groups = sum(each.form.num_bytes(*each.shape) for each in unread.weights.values())
    return (
        in_groups
        - unread.num_replaced * dtype.itemsize
        + sum(
            tensor.num_elements * dtype.itemsize if tensor.is_float else tensor.num_bytes
            for tensor in (tensors or {}).values()
        )
    )


def check_room(directory: Path, weight_bytes: int, device: torch.device) -> None:
    """Raise ModelNotSupported if the weights take more memory than the device has, in use or not."""
    total = total_bytes(device)
    if weight_bytes > total:
        raise ModelNotSupported(
            f"the weights in {directory} take {size_in_words(weight_bytes)} of memory, and {device} has "
            f"{size_in_words(total)}"
        )


def size_in_words(num_bytes: int) -> str:
    """Return the size as a text for people, such as "7.1 MB" or "1.24 GB"."""
    return f"{num_bytes / 1e9:.2f} GB" if num_bytes >= 1e9 else f"{num_bytes / 1e6:.1f} MB"
