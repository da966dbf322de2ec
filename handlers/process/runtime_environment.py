"""A description of the software and the machine for bug reports."""

import os
import platform
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, version
from typing import Final

_LIBRARIES: Final = ("verbatim-server", "torch", "transformers", "tokenizers", "huggingface_hub")
_GPU_TIMEOUT_S: Final = 10.0


def runtime_environment() -> str:
    """Return lines with the platform, the versions of libraries, and the output of nvidia-smi."""
    return "\n".join(
        (
            "Runtime environment:",
            f"  platform: {platform.platform()}, {platform.machine()}, {os.cpu_count()} processors",
            f"  python: {platform.python_version()}",
            *(f"  {name}: {_version(name)}" for name in _LIBRARIES),
            f"  nvidia-smi: {_nvidia_smi()}",
        )
    )


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _nvidia_smi() -> str:
    if (program := shutil.which("nvidia-smi")) is None:
        return "not installed"
    try:
        ended = subprocess.run([program], capture_output=True, text=True, timeout=_GPU_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return (ended.stdout or ended.stderr).strip().replace("\n", "\n  ")
