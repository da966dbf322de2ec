"""Wheels for one architecture: the wheel that fits all, with the libraries that were compiled for it."""

import re
import subprocess
import sys
import tempfile
from email.parser import Parser
from pathlib import Path

from engine.native.compiler import PREBUILT, SOURCES, build_for_others, targets_of

# The oldest glibc that torch's own wheels take.
GLIBC = (2, 28)
_ROOT = SOURCES.parents[2]


class WrongWheel(Exception):
    """The error for a wheel that does not run on all systems that its tag names."""


def make_platform_wheel(pure: Path, machine: str, compiler: str) -> Path:
    """Write a wheel for this architecture next to the pure one, and return its path.

    Raises CannotCompile, WrongWheel, and CalledProcessError if `wheel` or `auditwheel` fails.
    """
    with tempfile.TemporaryDirectory() as workplace:
        _run("wheel", "unpack", str(pure), "--dest", workplace)
        [tree] = Path(workplace).iterdir()
        for target in targets_of(machine):
            build_for_others(compiler, target, tree / PREBUILT.relative_to(_ROOT))
        [metadata] = tree.glob("*.dist-info/WHEEL")
        _set_platform(metadata, f"manylinux_{GLIBC[0]}_{GLIBC[1]}_{machine}")
        packed = _run("wheel", "pack", str(tree), "--dest-dir", str(pure.parent))
    made = re.search(r"(\S+\.whl)", packed)
    assert made is not None, packed
    path = pure.parent / Path(made[1]).name
    _check(path, machine)
    return path


def _set_platform(metadata: Path, platform: str) -> None:
    """Rewrite a wheel's metadata, by which it is packed and installed."""
    message = Parser().parsestr(metadata.read_text(encoding="utf-8"))
    message.replace_header("Root-Is-Purelib", "false")
    message.replace_header("Tag", f"py3-none-{platform}")
    metadata.write_text(message.as_string(), encoding="utf-8")


def _check(path: Path, machine: str) -> None:
    """Have auditwheel find the oldest systems that have all symbols. Raises WrongWheel for newer ones."""
    report = _run("auditwheel", "show", str(path))
    found = re.search(rf'"manylinux_(\d+)_(\d+)_{machine}"', report)
    if found is None or (int(found[1]), int(found[2])) > GLIBC:
        path.unlink()
        raise WrongWheel(f"{path.name} needs newer systems than its tag names:\n{report}")


def _run(module: str, *arguments: str) -> str:
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
