"""The compilers of the libraries in wheels, and where they come from.

They must be GCC: its OpenMP calls are named as in libgomp, which torch's wheels carry; clang's are not.
"""

import platform
import shutil

from engine.native.compiler import ARM_MACHINE, X86_MACHINE

MACHINES = (X86_MACHINE, ARM_MACHINE)


def compiler_name(machine: str) -> str:
    """Return the command of the compiler for this architecture, as Debian names it."""
    return "g++" if machine == platform.machine() else f"{machine}-linux-gnu-g++"


def find_compiler(machine: str) -> str | None:
    """Return the path of the compiler for this architecture; None if it is not installed."""
    return shutil.which(compiler_name(machine))


def how_to_install(machine: str) -> str:
    """Return a phrase that says which package of Debian has the compiler."""
    package = "g++" if machine == platform.machine() else f"g++-{machine.replace('_', '-')}-linux-gnu"
    return f"no {compiler_name(machine)} is found (Debian's package {package})"
