"""The instruction sets that are used: all that the processor has, or those that `VERBATIM_ISA` allows.

Every choice between kernels depends on this module, and so do the flags that our own are compiled with, so
that all agree on which sets are usable. The variable lets any processor compute as an older one does.
"""

import os
import platform
from enum import IntEnum
from functools import cache

VARIABLE = "VERBATIM_ISA"
NATIVE = "native"
_X86 = ("x86_64", "AMD64")


class Instructions(IntEnum):
    """The instruction sets of x86 in ascending order; processors that have one have all before it.

    OTHER: another architecture. AVX512: F, BW, CD, DQ and VL.
    """

    OTHER = 0
    SSE4_2 = 1
    AVX2 = 2
    AVX512 = 3
    AVX512_VNNI = 4
    AVX512_BF16 = 5
    AMX = 6

    @property
    def label(self) -> str:
        """The name of the set in settings."""
        return self.name.lower()


ISA_NAMES = (NATIVE, *(each.label for each in Instructions if each is not Instructions.OTHER))

# The variables that limit ATen, oneDNN, FBGEMM and MKL, which read them when torch is imported.
_LIBRARIES = (
    "ATEN_CPU_CAPABILITY",
    "ONEDNN_MAX_CPU_ISA",
    "FBGEMM_ENABLE_INSTRUCTIONS",
    "MKL_ENABLE_INSTRUCTIONS",
)
_LIMITS = {
    Instructions.SSE4_2: ("default", "SSE41", "AVX2", "SSE4_2"),  # FBGEMM begins with AVX2; has_fbgemm() asks
    Instructions.AVX2: ("avx2", "AVX2", "AVX2", "AVX2"),
    Instructions.AVX512: ("avx512", "AVX512_CORE", "AVX512", "AVX512"),
    Instructions.AVX512_VNNI: ("avx512", "AVX512_CORE_VNNI", "AVX512_VNNI", "AVX512_E1"),
    Instructions.AVX512_BF16: ("avx512", "AVX512_CORE_BF16", "AVX512_VNNI", "AVX512_E3"),
}
_replaced: dict[str, str | None] = {}


def limit_libraries(name: str | None = None) -> None:
    """Limit torch's libraries to the set of this name, or to the one that the environment names.

    Call it before torch is imported; the last call counts. An unknown name limits nothing, since the server's
    settings refuse it.
    """
    if name is not None:
        os.environ[VARIABLE] = name
    for variable, value in _replaced.items():
        if value is None:
            os.environ.pop(variable, None)
        else:
            os.environ[variable] = value
    _replaced.clear()
    limits = _LIMITS.get(_allowed())
    if limits is None or not is_x86():
        return
    for variable, value in zip(_LIBRARIES, limits, strict=True):
        _replaced[variable] = os.environ.get(variable)
        os.environ[variable] = value


def is_x86() -> bool:
    """Return whether the processor is of the architecture that the sets belong to."""
    return platform.machine() in _X86


def usable_instructions() -> Instructions:
    """Return the highest set that the processor has and that may be used."""
    return min(_found(), _allowed())


def hides(least: Instructions) -> bool:
    """Return whether the processor has this set, but it may not be used."""
    return usable_instructions() < least <= _found()


def _allowed() -> Instructions:
    name = os.environ.get(VARIABLE, NATIVE).lower()
    return next((each for each in Instructions if each.label == name and each), Instructions.AMX)


@cache
def _found() -> Instructions:
    """Return the highest set of the processor, which torch finds by CPUID."""
    import torch  # whose libraries must be limited first

    if not is_x86():
        return Instructions.OTHER
    found = {
        Instructions.AMX: torch.cpu._is_amx_tile_supported(),
        Instructions.AVX512_BF16: torch.cpu._is_avx512_bf16_supported(),
        Instructions.AVX512_VNNI: torch.cpu._is_vnni_supported(),
        Instructions.AVX512: torch.cpu._is_avx512_supported(),
        Instructions.AVX2: torch.cpu._is_avx2_supported(),
    }
    return next((each for each, is_there in found.items() if is_there), Instructions.SSE4_2)
