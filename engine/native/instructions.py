"""The instruction sets that are used: all that the processor has, or those that `VERBATIM_ISA` allows.

Every choice between kernels depends on this module, and so do the flags that our own are compiled with, so
that all agree on which sets are usable. The variable lets any processor compute as an older one does.
"""

import ctypes
import os
import platform
from enum import IntEnum
from functools import cache

VARIABLE = "VERBATIM_ISA"
NATIVE = "native"
_X86 = ("x86_64", "AMD64")
_ARM = ("aarch64", "arm64")


class Instructions(IntEnum):
    """The instruction sets of x86 in ascending order; processors that have one have all before it.

    OTHER: another architecture. AVX2_VNNI: AVX-VNNI, products of bytes in 256 bits; the one set that
    processors with later ones may lack. AVX512: F, BW, CD, DQ and VL.
    """

    OTHER = 0
    SSE4_2 = 1
    AVX2 = 2
    AVX2_VNNI = 3
    AVX512 = 4
    AVX512_VNNI = 5
    AVX512_BF16 = 6
    AMX = 7

    @property
    def label(self) -> str:
        """The name of the set in settings."""
        return self.name.lower()


class ArmInstructions(IntEnum):
    """The instruction sets of 64-bit ARM in ascending order; processors that have one have all before it.

    ARMV8: the base, which has vectors of 128 bits. ARMV8_DOTPROD: products of bytes, and fp16 (Graviton 2,
    Ampere Altra, Apple M1). ARMV8_BF16: products of bfloat16 and of matrices of bytes (Graviton 3, Apple M2).
    """

    ARMV8 = 1
    ARMV8_DOTPROD = 2
    ARMV8_BF16 = 3

    @property
    def label(self) -> str:
        """The name of the set in settings."""
        return self.name.lower()


X86_SETS = tuple(each for each in Instructions if each is not Instructions.OTHER)
ARM_SETS = tuple(ArmInstructions)

# Bits of the auxiliary vector on aarch64 (arch/arm64/include/uapi/asm/hwcap.h); the key is its entry.
_AT_HWCAP, _AT_HWCAP2 = 16, 26
_HWCAPS = {
    ArmInstructions.ARMV8_DOTPROD: {_AT_HWCAP: 1 << 10 | 1 << 20},  # ASIMDHP, ASIMDDP
    ArmInstructions.ARMV8_BF16: {_AT_HWCAP2: 1 << 13 | 1 << 14},  # I8MM, BF16
}

# The variables that limit ATen, oneDNN and MKL, which read them when torch is imported.
_LIBRARIES = ("ATEN_CPU_CAPABILITY", "ONEDNN_MAX_CPU_ISA", "MKL_ENABLE_INSTRUCTIONS")
_LIMITS = {
    Instructions.SSE4_2: ("default", "SSE41", "SSE4_2"),
    Instructions.AVX2: ("avx2", "AVX2", "AVX2"),
    Instructions.AVX2_VNNI: ("avx2", "AVX2_VNNI", "AVX2"),
    Instructions.AVX512: ("avx512", "AVX512_CORE", "AVX512"),
    Instructions.AVX512_VNNI: ("avx512", "AVX512_CORE_VNNI", "AVX512_E1"),
    Instructions.AVX512_BF16: ("avx512", "AVX512_CORE_BF16", "AVX512_E3"),
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
    """Return whether the processor is x86-64, whose sets `Instructions` lists."""
    return platform.machine() in _X86


def is_arm() -> bool:
    """Return whether the processor is 64-bit ARM, whose sets `ArmInstructions` lists."""
    return platform.machine() in _ARM


def isa_names() -> tuple[str, ...]:
    """Return what `VERBATIM_ISA` may be on this architecture."""
    sets = X86_SETS if is_x86() else ARM_SETS if is_arm() else ()
    return (NATIVE, *(each.label for each in sets))


def usable_instructions() -> Instructions:
    """Return the highest set of x86 that the processor has and that may be used."""
    usable = min(_found(), _allowed())
    if usable is Instructions.AVX2_VNNI and not has_avx_vnni():
        return Instructions.AVX2
    return usable


def usable_arm_instructions() -> ArmInstructions:
    """Return the highest set of 64-bit ARM that the processor has and that may be used."""
    name = os.environ.get(VARIABLE, NATIVE).lower()
    allowed = next((each for each in ArmInstructions if each.label == name), ArmInstructions.ARMV8_BF16)
    return min(arm_instructions_of(_auxiliary(_AT_HWCAP), _auxiliary(_AT_HWCAP2)), allowed)


def usable_label() -> str:
    """Return the name of the highest set that may be used, of whatever architecture."""
    return usable_arm_instructions().label if is_arm() else usable_instructions().label


def arm_instructions_of(hwcap: int, hwcap2: int) -> ArmInstructions:
    """Return the highest set of a processor that Linux describes by these two words of its capabilities."""
    words = {_AT_HWCAP: hwcap, _AT_HWCAP2: hwcap2}
    found = ArmInstructions.ARMV8
    for instructions, needed in _HWCAPS.items():
        if any(words[entry] & bits != bits for entry, bits in needed.items()):
            break
        found = instructions
    return found


def _auxiliary(entry: int) -> int:
    """Return an entry of the process's auxiliary vector; 0 where there is none, as on macOS."""
    try:
        getauxval = ctypes.CDLL(None).getauxval
    except (AttributeError, TypeError):  # TypeError: on Windows
        return 0
    getauxval.restype, getauxval.argtypes = ctypes.c_ulong, (ctypes.c_ulong,)
    return int(getauxval(entry))


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
        Instructions.AVX2_VNNI: torch.cpu._is_avx2_supported() and has_avx_vnni(),
        Instructions.AVX2: torch.cpu._is_avx2_supported(),
    }
    return next((each for each, is_there in found.items() if is_there), Instructions.SSE4_2)


@cache
def has_avx_vnni() -> bool:
    """Return whether the processor has AVX-VNNI: AVX2, and the products of bytes that AVX-512 VNNI has."""
    import torch

    return bool(torch.cpu.get_capabilities().get("avx_vnni", False))
