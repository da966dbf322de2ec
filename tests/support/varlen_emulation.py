"""An emulation of `torch.nn.attention.varlen.varlen_attn_out` in plain torch, from its documentation.

torch has no kernel of it for a CPU. It is compared with FlexAttention, which has no part in it
(`tests/unit/engine/attention/varlen/test_emulation.py`).
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.attention.varlen import AuxRequest

from engine.attention.varlen.library import VarlenLibrary


class Kernel(NamedTuple):
    """A kernel behind the function, by what it takes.

    page_multiple: pages hold a multiple of so many tokens. takes_windows: whether it takes a left limit.
    needs_key_starts: whether it wants `cu_seq_k` for pages too. skew: a wrong result, the number of keys that
    a row sees too many.
    """

    page_multiple: int = 1
    takes_windows: bool = True
    needs_key_starts: bool = False
    skew: int = 0

    def attn_out(
        self,
        out: Tensor,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        cu_seq_q: Tensor,
        cu_seq_k: Tensor | None,
        max_q: int,
        max_k: int,
        *,
        return_aux: Any = None,
        scale: float | None = None,
        window_size: tuple[int, int] = (-1, -1),
        enable_gqa: bool = False,
        seqused_k: Tensor | None = None,
        block_table: Tensor | None = None,
        num_splits: int | None = None,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Compute in float64; rows of `out` that no sequence has stay as they are."""
        assert seqused_k is not None and block_table is not None
        self._check(out, query, key, value, cu_seq_q, cu_seq_k, window_size, seqused_k, block_table)
        assert enable_gqa or query.shape[1] == key.shape[2]
        lse = torch.full(query.shape[1::-1], torch.nan)
        starts, counts = cu_seq_q.tolist(), seqused_k.tolist()
        for index, count in enumerate(counts):
            first, end = starts[index : index + 2]
            assert end - first <= max_q and count <= max_k <= block_table.shape[1] * key.shape[1]
            if first < end:
                blocks = block_table[index, : -(-count // key.shape[1])].long()
                keys, values = (pages[blocks].flatten(0, 1)[:count] for pages in (key, value))
                rows = slice(first, end)
                result, lse[:, rows] = self._attend(query[rows], keys, values, scale, window_size)
                out[rows] = result.to(out.dtype)
        return (out, lse) if return_aux is not None and return_aux.lse else out

    def _check(
        self,
        out: Tensor,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        cu_seq_q: Tensor,
        cu_seq_k: Tensor | None,
        window_size: tuple[int, int],
        seqused_k: Tensor,
        block_table: Tensor,
    ) -> None:
        """Raise as the kernels do for what they do not take."""
        if key.shape[1] % self.page_multiple:
            raise RuntimeError(f"Paged KV cache block size must be divisible by {self.page_multiple}")
        if window_size[0] != -1 and not self.takes_windows:
            raise RuntimeError("window_size must be (-1, -1) or causal (-1, 0)")
        if (cu_seq_k is None) == self.needs_key_starts:
            raise RuntimeError("cu_seq_k is given or left out against the kernel's wish")
        number = len(seqused_k)
        assert cu_seq_q.shape == (number + 1,) and len(block_table) == number
        assert cu_seq_k is None or cu_seq_k.diff().tolist() == seqused_k.tolist()
        integers = (cu_seq_q, seqused_k, block_table, *([] if cu_seq_k is None else [cu_seq_k]))
        assert all(one.dtype == torch.int32 and one.is_contiguous() for one in integers)
        assert out.dtype == query.dtype == key.dtype == value.dtype and out.shape == query.shape
        assert query.stride(-1) == 1 and out.is_contiguous()
        assert key.is_contiguous() and value.is_contiguous()

    def _attend(
        self, query: Tensor, keys: Tensor, values: Tensor, scale: float | None, window_size: tuple[int, int]
    ) -> tuple[Tensor, Tensor]:
        """Return [num_rows, num_heads, dim], and the log-sum-exp of scores, [num_heads, num_rows]."""
        group = query.shape[1] // keys.shape[1]
        keys, values = (each.double().repeat_interleave(group, dim=1) for each in (keys, values))
        scores = torch.einsum("qhd,khd->hqk", query.double(), keys)
        scores = scores * (query.shape[-1] ** -0.5 if scale is None else scale)
        # The last row sees all keys: the causal diagonal ends at the bottom right.
        own = torch.arange(len(query))[:, None] + len(keys) - len(query)
        places = torch.arange(len(keys))[None]
        left, right = window_size
        hidden = torch.zeros(len(query), len(keys), dtype=torch.bool)
        if right >= 0:
            hidden |= places > own + right
        if left >= 0:
            hidden |= places < own - left - self.skew
        scores = scores.masked_fill(hidden, -torch.inf)
        return torch.einsum("hqk,khd->qhd", scores.softmax(-1), values), scores.logsumexp(-1).float()


def emulated(*kernels: Kernel, dtypes: tuple[torch.dtype, ...] = (torch.float32,)) -> VarlenLibrary:
    """A library with these kernels, of which the first that takes a call answers, as torch chooses."""

    def attn_out(*args: Any, **named: Any) -> Tensor | tuple[Tensor, Tensor]:
        for kernel in kernels[:-1]:
            try:
                return kernel.attn_out(*args, **named)
            except RuntimeError:
                continue
        return kernels[-1].attn_out(*args, **named)

    return VarlenLibrary(attn_out, AuxRequest(lse=True), dtypes)


@torch.library.custom_op("tests::varlen_attn_out", mutates_args=("out",))
def _one_operation(
    out: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    cu_seq_q: Tensor,
    max_q: int,
    max_k: int,
    scale: float,
    left: int,
    enable_gqa: bool,
    seqused_k: Tensor,
    block_table: Tensor,
) -> Tensor:
    out.fill_(torch.nan)  # what rows hold that no sequence has is not said
    _, lse = Kernel().attn_out(
        out,
        query,
        key,
        value,
        cu_seq_q,
        None,
        max_q,
        max_k,
        return_aux=AuxRequest(lse=True),
        scale=scale,
        window_size=(left, 0),
        enable_gqa=enable_gqa,
        seqused_k=seqused_k,
        block_table=block_table,
    )
    return lse


def recordable() -> VarlenLibrary:
    """A library whose calls are single operations, as torch's are, which a recording holds."""

    def attn_out(*args: Any, **named: Any) -> tuple[Tensor, Tensor]:
        out, query, key, value, cu_seq_q, _, max_q, max_k = args
        lse: Tensor = _one_operation(
            out,
            query,
            key,
            value,
            cu_seq_q,
            max_q,
            max_k,
            named["scale"],
            named["window_size"][0],
            named["enable_gqa"],
            named["seqused_k"],
            named["block_table"],
        )
        return out, lse

    return VarlenLibrary(attn_out, AuxRequest(lse=True), (torch.float32,))
