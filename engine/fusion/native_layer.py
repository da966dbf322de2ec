"""The small operations of a decoder layer by compiled code; transformers' code remains their oracle.

Each takes one call instead of torch's four to twelve, and rounds at the same places as transformers.
"""

import ctypes

import torch
from torch import Tensor

from engine.native.library import compiled
from engine.native.structures import GateCall, NormCall, RotaryCall

# Fewer numbers are done before a second thread has started.
_FEWEST_NUMBERS_A_THREAD = 1 << 13


class RmsNorm:
    """RMS norm (arXiv 1910.07467). weight: [size]. epsilon: the number added to the mean of squares."""

    def __init__(self, weight: Tensor, epsilon: float) -> None:
        self.weight = weight.detach().contiguous()
        self.epsilon = epsilon

    def __call__(self, residual: Tensor) -> Tensor:
        """Return the norm of a residual [num_rows, size]; both are contiguous."""
        output = torch.empty_like(residual)
        self._run(residual, None, None, output)
        return output

    def add(self, residual: Tensor, added: Tensor) -> tuple[Tensor, Tensor]:
        """Return the sum of both and its norm; all are [num_rows, size] and contiguous."""
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
    """RoPE (arXiv 2104.09864), which pairs the two halves of a head; preceded by norms of heads if given."""

    def __init__(
        self, num_query_heads: int, num_key_heads: int, dim: int, norms: tuple[RmsNorm, RmsNorm] | None
    ) -> None:
        """Make the operation. norms: those of query heads and of key heads."""
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
    """Return silu(gate) * up (SwiGLU, arXiv 2002.05202), [num_rows, size].

    rows: [num_rows, 2 * size], contiguous, the outputs of gate_up.
    """
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
    """Return the number of threads of a call. num_parts: the most parts that it can be split into."""
    most = 1 + num_numbers // _FEWEST_NUMBERS_A_THREAD
    return max(1, min(torch.get_num_threads(), num_parts, most))
