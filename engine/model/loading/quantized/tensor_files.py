"""The contents of a directory's safetensors files, read one tensor at a time."""

from pathlib import Path
from typing import Any

from safetensors import safe_open
from torch import Tensor

from engine.model.loading.checkpoint.stored_tensors import safetensors_files


class TensorFiles:
    """The files of one directory, which stay open (mapped, not read) as long as this lives."""

    def __init__(self, directory: Path) -> None:
        self._of: dict[str, Any] = {}
        self.metadata: dict[str, str] = {}
        for path in safetensors_files(directory):
            file: Any = safe_open(path, framework="pt")
            self._of |= dict.fromkeys(file.keys(), file)
            self.metadata |= file.metadata() or {}

    def __bool__(self) -> bool:
        """Return whether there is any tensor."""
        return bool(self._of)

    def read(self, name: str) -> Tensor:
        """Return a tensor."""
        tensor: Tensor = self._of[name].get_tensor(name)
        return tensor

    def unread(self, name: str) -> Any:
        """Return what transformers reads a tensor from once it needs it."""
        return self._of[name].get_slice(name)
