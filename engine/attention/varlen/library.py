"""torch's attention over sequences of varied lengths in pages, and the ways in which it may be called.

`varlen_attn_out` chooses a kernel by its arguments, the card and torch's version, and says so nowhere in
public. Each kernel takes pages of its own sizes. So each way of calling is tried at load
(`engine/attention/varlen/choice.py`), and one that no kernel takes raises there.
"""

from typing import Any, Final, NamedTuple, Protocol

import torch
from torch import Tensor


class AttnOut(Protocol):
    """The function `torch.nn.attention.varlen.varlen_attn_out`, as far as it is used."""

    def __call__(
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
        """Attend from packed rows to keys in pages, and write the result into `out`."""


class PageForm(NamedTuple):
    """One way of calling the function.

    kernel: the kernel that is expected to answer. page_multiple: a page holds a multiple of so many tokens.
    num_splits: the number of parts into which a sequence's keys are cut; None leaves it to the kernel.
    has_key_starts: whether `cu_seq_k` is given in addition to `seqused_k`.
    """

    kernel: str
    page_multiple: int
    num_splits: int | None
    has_key_starts: bool

    def block_size(self, wanted: int) -> int:
        """Return the number of tokens of a page, at least as many as wanted."""
        return -(-wanted // self.page_multiple) * self.page_multiple


FORMS: Final = (
    # FlashAttention refuses pages that are smaller than 256, so cuDNN answers or nobody does.
    PageForm("cuDNN", page_multiple=1, num_splits=None, has_key_starts=False),
    # With the number of splits that it chooses itself, FlashAttention 2 may give NaN (pytorch 179760).
    PageForm("FlashAttention 2", page_multiple=256, num_splits=1, has_key_starts=True),
)


class VarlenLibrary(NamedTuple):
    """The function, what asks it for the log-sum-exp of scores too, and the types that it takes."""

    attn_out: AttnOut
    with_lse: Any
    dtypes: tuple[torch.dtype, ...]


def torch_varlen(device: torch.device) -> VarlenLibrary | None:
    """Return torch's own on a GPU; None on a CPU, for which it has no kernel."""
    if device.type != "cuda":
        return None
    from torch.nn.attention.varlen import AuxRequest, varlen_attn_out

    return VarlenLibrary(varlen_attn_out, AuxRequest(lse=True), (torch.bfloat16, torch.float16))
