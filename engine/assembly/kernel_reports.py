"""The reports on the compiled code that serves a model, once it is loaded and in a dry run alike."""

from collections.abc import Iterable, Iterator
from typing import Final

import torch

from engine.attention.native_chunks import chunk_obstacle
from engine.attention.native_decode import decode_obstacle
from engine.linear.linear_facts import LinearFacts
from engine.native.obstacles import find_obstacle
from engine.port.info.kernels import Kernel, Obstacle, kernel

_OWN_CODE: Final = Obstacle("the fallback path attends by the model's own code")


def paged_kernels(
    device: torch.device,
    dtype: torch.dtype,
    kv_dtype: torch.dtype,
    linears: LinearFacts,
    layers: Iterable[Kernel],
    varlen: Kernel | None = None,
) -> Iterator[Kernel]:
    """Yield the reports for a model that attends over pages.

    dtype: of its logits. kv_dtype: of its keys and values. layers: the reports on what takes the place of
    whole layers, iterated over once. varlen: on torch's own paged attention; None on a CPU, which has none.
    """
    if varlen is not None:
        yield varlen
    yield kernel("decode_attention", decode_obstacle(device, kv_dtype))
    yield kernel("chunk_attention", chunk_obstacle(device, kv_dtype))
    yield from linears.kernels
    yield from layers
    yield kernel("ranking", find_obstacle(device, dtype))


def fallback_kernels(device: torch.device, dtype: torch.dtype, linears: LinearFacts) -> Iterator[Kernel]:
    """Yield the reports for a model on the fallback path. dtype: of its logits."""
    yield kernel("decode_attention", _OWN_CODE)
    yield kernel("chunk_attention", _OWN_CODE)
    yield from linears.kernels
    yield kernel("ranking", find_obstacle(device, dtype))
