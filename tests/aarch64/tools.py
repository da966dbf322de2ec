"""The programs of other machines: the cross compiler, the emulator, the harness and the libraries.

Which packages of Debian have them is said where they are missing.
"""

import shutil
import subprocess
from functools import cache
from pathlib import Path

from engine.native.compiler import ARM_MACHINE, Target, build_for_others
from engine.native.instructions import ArmInstructions
from tests.support.selection.instructions import COMPILER
from tools.wheels.compilers import find_compiler, how_to_install

_ROOT = Path(__file__).parents[2]
_BUILD = _ROOT / "build" / "aarch64"  # kept, since each library takes half a minute
_SOURCE = Path(__file__).with_name("replay.cpp")
_SYSTEM = Path("/usr/aarch64-linux-gnu")  # of libc6-arm64-cross, which the cross compiler depends on
_FLAGS = ("-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-psabi")
# A processor that has each set and, as far as qemu has one, no higher set.
PROCESSORS = {
    ArmInstructions.ARMV8: "cortex-a57",
    ArmInstructions.ARMV8_DOTPROD: "neoverse-n1",
    ArmInstructions.ARMV8_BF16: "max",
}
EMULATOR = shutil.which("qemu-aarch64")
CROSS_COMPILER = find_compiler(ARM_MACHINE)


def missing_tools() -> str:
    """Return a phrase that says which tools this machine lacks; empty if it has all."""
    missing = []
    if CROSS_COMPILER is None:
        missing.append(how_to_install(ARM_MACHINE))
    if EMULATOR is None:
        missing.append("no qemu-aarch64 is found (Debian's package qemu-user)")
    if COMPILER is None:
        missing.append("no C++ compiler is found")
    return ", ".join(missing)


@cache
def library(instructions: ArmInstructions) -> Path:
    """Return the library for these processors, compiled for each state of the sources once."""
    assert CROSS_COMPILER is not None
    target = Target.of_set(instructions)
    path = _BUILD / target.file_name
    return path if path.exists() else build_for_others(CROSS_COMPILER, target, _BUILD)


@cache
def harness(compiler: str, directory: Path) -> Path:
    """Return replay.cpp, compiled into this directory."""
    path = directory / f"replay-{Path(compiler).name}"
    command = [compiler, *_FLAGS, str(_SOURCE), "-o", str(path), "-ldl"]
    subprocess.run(command, check=True)
    return path


def emulated(instructions: ArmInstructions, *command: str) -> list[str]:
    """Return the command that runs a program on an emulated processor."""
    assert EMULATOR is not None
    return [EMULATOR, "-cpu", PROCESSORS[instructions], "-L", str(_SYSTEM), *command]
