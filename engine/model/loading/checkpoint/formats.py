"""The formats of weights that cannot be loaded, and which program takes each."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from engine.model.loading.checkpoint.stored_tensors import StoredTensor
from engine.model.loading.gguf.description import is_described
from engine.model.loading.refusals import ELSEWHERE
from engine.port.errors import ModelNotSupported

_READABLE: Final = ("*.safetensors", "pytorch_model*.bin", "*.index.json")
_CONVERTIBLE: Final = {
    "*.pth": "PyTorch checkpoints",
    "*.h5": "TensorFlow's weights",
    "*.msgpack": "Flax's weights",
    "*.onnx": "ONNX graphs",
}


def check_dtypes(directory: Path, tensors: Mapping[str, StoredTensor]) -> None:
    """Raise ModelNotSupported for integers or 8-bit floats in the place of weights.

    They would be cast to other weights, since nothing says how they are quantized.
    """
    for name, tensor in tensors.items():
        if (tensor.is_integer or tensor.dtype.startswith("F8")) and name.endswith("weight") and tensor.shape:
            raise ModelNotSupported(
                f"the weights in {directory} are quantized, and its config.json does not say how: {name} is "
                f"of {tensor.dtype}; {ELSEWHERE}"
            )


def check_files(directory: Path) -> None:
    """Raise ModelNotSupported for a directory without weights that transformers reads."""
    if is_described(directory) or any(True for pattern in _READABLE for _ in directory.glob(pattern)):
        return
    for pattern, kind in _CONVERTIBLE.items():
        if found := sorted(directory.glob(pattern)):
            raise ModelNotSupported(
                f"{directory} holds only {kind} ({found[0].name}); transformers' scripts convert them to "
                "safetensors"
            )
    raise ModelNotSupported(f"{directory} holds no weights: there is no *.safetensors in it")
