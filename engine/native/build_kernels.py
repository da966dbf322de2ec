"""The compilation of libraries ahead of time, for this processor or for those of other machines."""

from collections.abc import Iterator
from pathlib import Path

from engine.native.compiler import TARGET_SETS, Target, build
from engine.native.instructions import NATIVE, Instructions, is_x86
from engine.native.library import kernel_cache

_ALL = "all"


def build_kernels(isa: str | None, march: str | None, output: str | None) -> Iterator[Path]:
    """Compile a library for each target and yield its path.

    isa: instruction sets of x86 by name, comma-separated, or "all". march: the compiler's name for processors
    of another architecture. output: the folder, which is created if needed; the server's own by default.
    Raises ValueError for an unknown name, CannotCompile, OSError, and RuntimeError without folder and home.
    """
    targets = dict.fromkeys(_targets(isa, march))
    directory = kernel_cache() if output is None else Path(output)
    return (build(target, directory.absolute()) for target in targets)


def _targets(isa: str | None, march: str | None) -> list[Target]:
    if isa is not None and not is_x86():
        raise ValueError("--isa names instructions of x86; give --march on this machine")
    if march is not None and is_x86():
        raise ValueError("--march is for other architectures than x86; give --isa on this machine")
    if march is not None:
        return [Target.of_march(march)]
    if isa == _ALL:
        return [Target.of_set(each) for each in TARGET_SETS]
    return [_target(name.strip().lower()) for name in (isa or NATIVE).split(",")]


def _target(name: str) -> Target:
    if name == NATIVE:
        return Target.of_this_processor()
    sets = {each.label: each for each in Instructions if each is not Instructions.OTHER}
    if name not in sets:
        raise ValueError(f"--isa: {name!r} is none of {', '.join((*sets, NATIVE, _ALL))}")
    return Target.of_set(sets[name])
