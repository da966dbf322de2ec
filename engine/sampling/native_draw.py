"""The draw of each row's token by compiled code; torch remains its oracle."""

import ctypes
from collections.abc import Sequence

import torch
from torch import Tensor

from engine.native.library import compiled
from engine.native.structures import DrawCall
from engine.port.request import SamplingParams


def draw_rows(
    logits: Tensor, inverse_temperatures: Sequence[float], params: Sequence[SamplingParams], keys: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the largest logit of each row [n] float32, and the drawn ids [n], as `draw_by_torch` does.

    logits: [n, v], as `can_rank` takes them. keys: [n, 2] int32, of the noise.
    """
    assert all(row.top_k is None or row.top_k > 0 for row in params)
    num_rows, vocab_size = logits.shape
    settings = torch.tensor(
        [
            (inverse, vocab_size if row.top_k is None else row.top_k, row.top_p, row.typical_p, row.min_p)
            for inverse, row in zip(inverse_temperatures, params, strict=True)
        ],
        dtype=torch.float64,
    )
    values = torch.empty(num_rows, dtype=torch.float32)
    ids = torch.empty(num_rows, dtype=torch.int64)
    call = DrawCall(
        *(part.data_ptr() for part in (logits, settings, keys, values, ids)),
        *(num_rows, logits.stride(0), vocab_size),
        logits.dtype == torch.bfloat16,
        max(1, min(torch.get_num_threads(), num_rows)),
    )
    compiled().verbatim_draw(ctypes.byref(call))
    return values, ids
