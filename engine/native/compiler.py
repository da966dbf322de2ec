"""The compilation of src/ for a target, which is the set of instructions that a library may use.

All .cpp files are linked into one library. It is plain C++ behind a C interface, called through ctypes. It
uses no headers of torch, so that g++ compiles a file in two seconds.

It is linked without an OpenMP library and finds torch's at run time: a second one would have threads of its
own, which would compete with torch's for the same cores.
"""

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, Self

from engine.host.machine import num_processors
from engine.native.instructions import (
    ArmInstructions,
    Instructions,
    is_arm,
    is_x86,
    usable_arm_instructions,
    usable_instructions,
)

if sys.platform != "win32":
    import fcntl

AnySet = Instructions | ArmInstructions

X86_MACHINE, ARM_MACHINE = "x86_64", "aarch64"
SOURCES = Path(__file__).parent / "src"
PREBUILT = Path(__file__).parent / "prebuilt"  # libraries that tools/wheels compiled, in some wheels only
# Sums may be taken in any order, but NaN and infinity keep their meaning. Instructions are scheduled only
# after registers are given out: before that, GCC for ARM moves loads so far ahead that sums lose theirs.
_FLAGS = (
    *("-std=c++17", "-O3", "-fopenmp", "-fPIC", "-fno-schedule-insns"),
    *("-fno-math-errno", "-fno-trapping-math", "-fno-signed-zeros", "-fassociative-math"),
)
# Named one by one instead of -march=native, since callers decide by `usable_instructions`.
_X86_FLAGS: dict[AnySet, tuple[str, ...]] = {
    Instructions.SSE4_2: ("-msse4.2", "-mpopcnt"),
    Instructions.AVX2: ("-mavx2", "-mfma", "-mf16c", "-mbmi", "-mbmi2", "-mlzcnt", "-mmovbe"),
    Instructions.AVX2_VNNI: ("-mavxvnni",),
    Instructions.AVX512: ("-mavx512f", "-mavx512bw", "-mavx512cd", "-mavx512dq", "-mavx512vl"),
    Instructions.AVX512_VNNI: ("-mavx512vnni",),
    Instructions.AVX512_BF16: ("-mavx512bf16",),
}
_NOT_BELOW = (Instructions.AVX2_VNNI,)  # which processors that have later sets may lack
# The last -march counts.
_ARM_FLAGS: dict[AnySet, tuple[str, ...]] = {
    ArmInstructions.ARMV8: ("-march=armv8-a",),
    ArmInstructions.ARMV8_DOTPROD: ("-march=armv8.2-a+fp16+dotprod",),
    ArmInstructions.ARMV8_BF16: ("-march=armv8.2-a+fp16+dotprod+i8mm+bf16",),
}
_TIMEOUT_S = 300  # for a file, which takes seconds; on a machine that is busy with other work, minutes


class CannotCompile(Exception):
    """The error for a missing compiler, or for one that fails; the message is the compiler's."""


class Target(NamedTuple):
    """The processors that a library is compiled for.

    label: part of its file name. flags: the compiler's. machine: their architecture, by `platform.machine()`.
    is_set: whether they are those that have a set of instructions, which a server can tell.
    """

    label: str
    flags: tuple[str, ...]
    machine: str
    is_set: bool

    @classmethod
    def of_set(cls, most: AnySet) -> Self:
        """Return the target of processors that have this set and those before it that it implies."""
        machine, flags = (
            (ARM_MACHINE, _ARM_FLAGS) if isinstance(most, ArmInstructions) else (X86_MACHINE, _X86_FLAGS)
        )
        sets = [each for each in flags if each == most or (each < most and each not in _NOT_BELOW)]
        return cls(sets[-1].label, tuple(flag for each in sets for flag in flags[each]), machine, True)

    @classmethod
    def of_march(cls, march: str) -> Self:
        """Return the target of processors of this architecture, by the compiler's name for them."""
        return cls(platform.machine(), (f"-march={march}",), platform.machine(), False)

    @classmethod
    def of_this_processor(cls) -> Self:
        """Return the target of this processor, limited to the instructions that may be used."""
        if is_x86():
            return cls.of_set(usable_instructions())
        if is_arm():
            return cls.of_set(usable_arm_instructions())
        machine = platform.machine()
        return cls(f"{machine}-{_digest(_processor_flags())}", ("-march=native",), machine, False)

    @property
    def file_name(self) -> str:
        """The file name of the library, which depends on the sources and the flags.

        Only the flags of a set count: a server cannot know which -march a library was built with. The
        compiler and its -mtune do not count: whatever they are, the library computes the same functions.
        """
        flags = self.flags if self.is_set else ()
        return f"native-{self.label}-{_digest(*_texts(), *_FLAGS, *flags, self.machine)}.so"


def targets_of(machine: str) -> list[Target]:
    """Return the targets that together serve all processors of x86-64 or aarch64."""
    return [Target.of_set(each) for each in {X86_MACHINE: _X86_FLAGS, ARM_MACHINE: _ARM_FLAGS}[machine]]


def file_names() -> list[str]:
    """Return the file names of the libraries that run on this processor, the best first."""
    here = Target.of_this_processor()
    return [here.file_name] if is_x86() else [here.file_name, Target.of_march("").file_name]


def find_compiler() -> str:
    """Return the path of the C++ compiler, which CXX may name. Raises CannotCompile."""
    name = os.environ.get("CXX", "g++")
    compiler = shutil.which(name)
    if compiler is None:
        raise CannotCompile(f"no C++ compiler is found ({name})")
    return compiler


def build(target: Target, directory: Path) -> Path:
    """Compile for the target into the directory, and return the path. Raises CannotCompile or OSError.

    Of several processes that do so at once, one compiles, with all cores, and the others take its library.
    """
    compiler = find_compiler()
    tuning = "native" if target == Target.of_this_processor() else "generic"
    path = directory / target.file_name
    was_there = path.exists()
    directory.mkdir(parents=True, exist_ok=True)
    with _locked(directory):
        if path.exists() and not was_there:
            return path
        return _try_to_build(compiler, target, tuning, directory)


def build_for_others(compiler: str, target: Target, directory: Path) -> Path:
    """Do the same for other machines, with this compiler, which may be a cross compiler.

    Nothing is asked of this machine's processor, nor of torch.
    """
    return _try_to_build(compiler, target, "generic", directory)


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    """Hold the folder's lock, which ends with the process. File systems without locks are used without."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        with suppress(OSError):
            assert sys.platform != "win32"  # on which nothing is compiled
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _try_to_build(compiler: str, target: Target, tuning: str, directory: Path) -> Path:
    try:
        return _build(compiler, target, tuning, directory)
    except subprocess.SubprocessError as error:
        raise CannotCompile(getattr(error, "stderr", None) or str(error)) from error


def _build(compiler: str, target: Target, tuning: str, directory: Path) -> Path:
    """Compile in a temporary folder, then move the library, since several servers may start at once."""
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=directory) as workplace:

        def run(*command: str) -> None:
            subprocess.run(
                command, check=True, capture_output=True, text=True, timeout=_TIMEOUT_S, cwd=workplace
            )

        def compile_one(source: Path) -> None:
            run(
                compiler,
                *(*_FLAGS, *target.flags, f"-mtune={tuning}"),
                *("-I", str(SOURCES), "-c", str(source)),
            )

        longest_first = sorted(SOURCES.rglob("*.cpp"), key=lambda source: -source.stat().st_size)
        with ThreadPoolExecutor(num_processors()) as pool:
            list(pool.map(compile_one, longest_first))
        run(compiler, "-shared", *(f"{source.stem}.o" for source in longest_first), "-o", "linked.so")
        return Path(workplace, "linked.so").replace(directory / target.file_name)


def _texts() -> list[str]:
    sources = sorted([*SOURCES.rglob("*.cpp"), *SOURCES.rglob("*.h")])
    return [source.read_text(encoding="utf-8") for source in sources]


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _processor_flags() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    return next((line for line in lines if line.startswith(("flags", "Features"))), "")
