"""The compilation of libraries ahead of time, for this processor or for those of other machines."""

from collections.abc import Iterator
from pathlib import Path

from engine.native.compiler import ARM_MACHINE, X86_MACHINE, Target, build, targets_of
from engine.native.instructions import ARM_SETS, NATIVE, X86_SETS, is_arm, is_x86
from engine.native.library import kernel_cache

_ALL = "all"


def build_kernels(isa: str | None, march: str | None, output: str | None) -> Iterator[Path]:
    """Compile a library for each target and yield its path.

    isa: instruction sets of x86 or ARM by name, comma-separated, or "all". march: the compiler's name for
    processors, on other architectures than x86. output: the folder, which is created if needed; the server's
    own by default.
    Raises ValueError for an unknown name, CannotCompile, OSError, and RuntimeError without folder and home.
    """
    targets = dict.fromkeys(_targets(isa, march))
    directory = kernel_cache() if output is None else Path(output)
    return (build(target, directory.absolute()) for target in targets)


def _targets(isa: str | None, march: str | None) -> list[Target]:
    if isa is not None and not (is_x86() or is_arm()):
        raise ValueError("--isa names instructions of x86 or 64-bit ARM; give --march on this machine")
    if march is not None and is_x86():
        raise ValueError("--march is for other architectures than x86; give --isa on this machine")
    if march is not None and isa is not None:
        raise ValueError("--march and --isa exclude each other")
    if march is not None:
        return [Target.of_march(march)]
    if isa == _ALL:
        return targets_of(X86_MACHINE if is_x86() else ARM_MACHINE)
    return [_target(name.strip().lower()) for name in (isa or NATIVE).split(",")]


def _target(name: str) -> Target:
    if name == NATIVE:
        return Target.of_this_processor()
    sets = {each.label: each for each in (X86_SETS if is_x86() else ARM_SETS)}
    if name not in sets:
        raise ValueError(f"--isa: {name!r} is none of {', '.join((*sets, NATIVE, _ALL))}")
    return Target.of_set(sets[name])
