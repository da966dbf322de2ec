"""Marks of tests that need compiled code, and say which instructions it takes."""

import os
import shutil

import pytest

from engine.native.instructions import X86_SETS, Instructions, has_avx_vnni, usable_instructions

COMPILER = shutil.which(os.environ.get("CXX", "g++"))

_GATES: list[tuple[pytest.Mark, Instructions]] = []  # those that `needs` has made
_NAMES = {
    Instructions.SSE4_2: "a C++ compiler",
    Instructions.AVX512: "AVX-512",
    Instructions.AVX512_BF16: "AVX-512 BF16",
}


def sets_here() -> tuple[Instructions, ...]:
    """All sets of x86 that the processor has and that may be used, in ascending order."""
    usable = usable_instructions()
    return tuple(
        each for each in X86_SETS if each <= usable and (each is not Instructions.AVX2_VNNI or has_avx_vnni())
    )


def needs(least: Instructions, *, allows_amx: bool = True) -> pytest.MarkDecorator:
    """A mark that skips where the processor lacks them, or where there is no compiler.

    Nothing is asked of the code under test: where it is not there though it could be, its tests fail.
    """
    usable = usable_instructions()
    missing = [_NAMES[least]] if usable < least else []
    if not allows_amx and usable >= Instructions.AMX:
        missing = ["a processor without AMX, which has oneDNN multiply instead"]
    if COMPILER is None:
        missing.append("a C++ compiler")
    reason = f"needs {' and '.join(missing) or _NAMES[least]}; this run has {usable.label} at most"
    mark = pytest.mark.skipif(bool(missing), reason=reason)
    _GATES.append((mark.mark, least))
    return mark


def needed_instructions(item: pytest.Item) -> Instructions | None:
    """Return the set that a mark of `needs` asks for, the best if there are several."""
    marks = list(item.iter_markers("skipif"))
    return max((least for gate, least in _GATES if any(mark is gate for mark in marks)), default=None)


needs_compiler = needs(Instructions.SSE4_2)
needs_avx512 = needs(Instructions.AVX512)
needs_compiled_bfloat16 = needs(Instructions.SSE4_2, allows_amx=False)
