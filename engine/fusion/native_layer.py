"""The small operations of a decoder layer by compiled code; transformers' stay their oracle.

Each takes one call where torch takes four to twelve, and rounds where transformers does.
"""

import ctypes

import torch
from torch import Tensor

from engine.native.library import compiled
from engine.native.structures import GateCall, NormCall, RotaryCall

# Fewer numbers than this are done before a second thread has begun.
_FEWEST_NUMBERS_A_THREAD = 1 << 13


class RmsNorm:
    """weight: [size]. epsilon: added to the mean of squares (arXiv 1910.07467)."""

    def __init__(self, weight: Tensor, epsilon: float) -> None:
        self.weight = weight.detach().contiguous()
        self.epsilon = epsilon

    def __call__(self, residual: Tensor) -> Tensor:
        """residual: [num_rows, size], dense, as is the result."""
        output = torch.empty_like(residual)
        self._run(residual, None, None, output)
        return output

    def add(self, residual: Tensor, added: Tensor) -> tuple[Tensor, Tensor]:
        """[num_rows, size] each, dense: the sum, and its norm."""
        total, output = torch.empty_like(residual), torch.empty_like(residual)
        self._run(residual, added, total, output)
        return total, output

    def _run(self, residual: Tensor, added: Tensor | None, total: Tensor | None, output: Tensor) -> None:
        num_rows, size = residual.shape
        assert residual.is_contiguous() and residual.dtype == self.weight.dtype and size == len(self.weight)
        assert added is None or (added.is_contiguous() and added.shape == residual.shape)
        call = NormCall(
            residual.data_ptr(),
            None if added is None else added.data_ptr(),
            self.weight.data_ptr(),
            None if total is None else total.data_ptr(),
            output.data_ptr(),
            num_rows,
            size,
            self.epsilon,
            residual.dtype == torch.bfloat16,
            _num_threads(num_rows, num_rows * size),
        )
        compiled().verbatim_norm(ctypes.byref(call))


class Rotary:
    """Rotary embedding (arXiv 2104.09864), whose pairs are the halves of a head; norms of heads before it."""

    def __init__(
        self, num_query_heads: int, num_key_heads: int, dim: int, norms: tuple[RmsNorm, RmsNorm] | None
    ) -> None:
        """norms: of queries and of keys."""
        self._shape = (num_query_heads, num_key_heads, dim)
        self.norms = norms

    def __call__(self, qkv: Tensor, cosine: Tensor, sine: Tensor) -> None:
        """Apply the rotary embedding to queries and keys, in place.

        qkv: [num_rows, at least (num_query_heads + num_key_heads) * dim]; cosine, sine: [num_rows, dim].
        """
        num_query_heads, num_key_heads, dim = self._shape
        num_rows = len(qkv)
        assert qkv.dtype == cosine.dtype == sine.dtype and qkv.stride(1) == 1
        assert cosine.shape == sine.shape == (num_rows, dim)
        cosine, sine = cosine.contiguous(), sine.contiguous()
        query_norm, key_norm = self.norms or (None, None)
        call = RotaryCall(
            qkv.data_ptr(),
            cosine.data_ptr(),
            sine.data_ptr(),
            None if query_norm is None else query_norm.weight.data_ptr(),
            None if key_norm is None else key_norm.weight.data_ptr(),
            num_rows,
            qkv.stride(0),
            num_query_heads,
            num_key_heads,
            dim,
            0.0 if query_norm is None else query_norm.epsilon,
            0.0 if key_norm is None else key_norm.epsilon,
            qkv.dtype == torch.bfloat16,
            _num_threads(num_rows, num_rows * (num_query_heads + num_key_heads) * dim),
        )
        compiled().verbatim_rotary(ctypes.byref(call))


def swiglu(rows: Tensor) -> Tensor:
    """SwiGLU (arXiv 2002.05202): [num_rows, 2 * size] of gates and values, dense -> [num_rows, size]."""
    num_rows, size = rows.shape[0], rows.shape[1] // 2
    assert rows.is_contiguous()
    output = rows.new_empty(num_rows, size)
    call = GateCall(
        rows.data_ptr(),
        output.data_ptr(),
        num_rows,
        size,
        rows.dtype == torch.bfloat16,
        _num_threads(torch.get_num_threads(), num_rows * size),
    )
    compiled().verbatim_gate(ctypes.byref(call))
    return output


def _num_threads(num_parts: int, num_numbers: int) -> int:
    """num_parts: those that a call is split into at most."""
    most = 1 + num_numbers // _FEWEST_NUMBERS_A_THREAD
    return max(1, min(torch.get_num_threads(), num_parts, most))
