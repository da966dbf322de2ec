"""How products of bfloat16 are best computed on this processor."""

import torch

from engine.native.instructions import Instructions, hides, usable_instructions
from engine.native.library import load_library


def has_fast_bfloat16() -> bool:
    """Whether the CPU multiplies bfloat16 natively. On AVX-512 alone oneDNN emulates it."""
    is_emulated = Instructions.AVX512 <= usable_instructions() < Instructions.AVX512_BF16
    return has_onednn_bfloat16() and not is_emulated


def has_onednn_bfloat16() -> bool:
    """Whether oneDNN takes bfloat16 here, natively or not; on x86 it wants AVX-512 for it, or newer AVX2."""
    is_supported: bool = torch.ops.mkldnn._is_mkldnn_bf16_supported()
    return is_supported and not hides(Instructions.AVX512)


def has_compiled_bfloat16() -> bool:
    """Whether compiled products run here and are faster than oneDNN, which uses AMX where there is any."""
    library = load_library() if usable_instructions() == Instructions.AVX512_BF16 else None
    return library is not None and library.verbatim_panels_size(1, 1) > 0
