"""The report on compiled code for a model on the fallback path, which attends by its own."""

from collections.abc import Iterator
from typing import Final

import torch

from engine.native.obstacles import find_obstacle, lacks_library
from engine.port.info.kernels import Kernel, Obstacle, kernel, quantized_kernels

_OWN_CODE: Final = Obstacle("the fallback path attends by the model's own code")


def fallback_kernels(
    device: torch.device,
    dtype: torch.dtype,
    linear: Kernel,
    *,
    quantize: str | None,
    has_stored_layers: bool,
) -> Iterator[Kernel]:
    """Yield what serves the model and what does not. linear: the report on its linear layers.

    quantize, has_stored_layers: as of `quantized_kernels`.
    """
    yield kernel("decode_attention", _OWN_CODE)
    yield kernel("chunk_attention", _OWN_CODE)
    yield linear
    yield from quantized_kernels(quantize, lacks_library(), has_stored_layers=has_stored_layers)
    yield kernel("ranking", find_obstacle(device, dtype))
