"""The choice of the fastest products of bfloat16 on this processor."""

import torch

from engine.native.instructions import Instructions, hides, usable_instructions
from engine.native.obstacles import lacks_library
from engine.port.info.kernels import Obstacle


def has_fast_bfloat16() -> bool:
    """Return whether the CPU multiplies bfloat16 natively. With only AVX-512, oneDNN emulates it."""
    is_emulated = Instructions.AVX512 <= usable_instructions() < Instructions.AVX512_BF16
    return has_onednn_bfloat16() and not is_emulated


def has_onednn_bfloat16() -> bool:
    """Return whether oneDNN takes bfloat16, natively or not; on x86 it needs AVX-512 or AVX2-VNNI-2."""
    is_supported: bool = torch.ops.mkldnn._is_mkldnn_bf16_supported()
    return is_supported and not hides(Instructions.AVX512)


def compiled_bfloat16_obstacle() -> Obstacle | None:
    """Return the reason why compiled products of bfloat16 do not run here, or are slower than oneDNN's."""
    if usable_instructions() >= Instructions.AMX:
        return Obstacle("oneDNN is faster here, by AMX")
    return lacks_library()


def has_compiled_bfloat16() -> bool:
    """Return whether compiled products of bfloat16 run here and are faster than oneDNN."""
    return compiled_bfloat16_obstacle() is None
