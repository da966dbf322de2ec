"""The extras of the distribution: the libraries that each adds, and whether they are installed."""

from collections.abc import Mapping
from importlib.machinery import PathFinder
from typing import Final

# By the extra, the modules of requirements/; another extra's are left out where the libraries come with it.
_MODULES: Final[Mapping[str, tuple[str, ...]]] = {
    "engine": ("gguf", "llguidance", "numpy", "safetensors", "torch", "transformers", "xgrammar"),
    "gpu": ("accelerate",),
    "media": ("PIL", "av", "gguf", "numpy", "transformers"),
    "transformers": ("gguf", "numpy", "transformers"),
}


def missing(extra: str) -> list[str]:
    """Return the names of the modules of an extra that are not installed; nothing is imported."""
    return [name for name in _MODULES[extra] if PathFinder.find_spec(name) is None]


def how_to_install(extra: str) -> str:
    """Return the command that adds an extra."""
    return f"pip install 'verbatim-server[{extra}]'"
