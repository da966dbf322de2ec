"""The part of loading that Linux does while modules are imported: reading files, and providing memory."""

import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import torch
from huggingface_hub import snapshot_download
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

from engine.config import EngineConfig
from engine.model.loading.checkpoint.directory import own_directory
from engine.model.loading.checkpoint.stored_tensors import StoredTensor, read_headers
from engine.model.loading.gguf.description import is_described
from engine.model.loading.gguf.group_forms import FORMS
from engine.native.huge_pages import reserve_memory
from engine.native.obstacles import lacks_library
from engine.packed_cache.search import begin_search
from engine.port.errors import ModelNotSupported
from engine.weights.grouped_weight import ROUNDED_FORMS

# The dtypes that may be asked for without a copy of the weights in another type, by what is stored.
_UNCONVERTED: Final[Mapping[str, frozenset[str]]] = {
    "BF16": frozenset({"auto", "bfloat16"}),
    "F16": frozenset({"auto"}),
    "F32": frozenset({"auto", "float32"}),
}
# ggml's names of the embedding, and of a head that has a weight of its own.
_EMBEDDING: Final = "token_embd.weight"
_HEAD: Final = "output.weight"
_BYTES_OF_NUMBER: Final = 2


def begin_loading(config: EngineConfig) -> None:
    """Let Linux read the weights' files, if they are on this machine, and provide memory for a CPU.

    Linear layers are laid out anew in memory of their own, unless they are found as an earlier start packed
    them.
    """
    directory = _own_or_fetched(config)
    files = [] if directory is None else [*directory.glob("*.safetensors"), *directory.glob("*.gguf")]
    if directory is None or not files:
        return
    threading.Thread(target=_read_ahead, args=[files], name="read-ahead", daemon=True).start()
    if config.device == "cpu" or (config.device == "auto" and not torch.cuda.is_available()):
        begin_search(config, directory, on_miss=lambda: _reserve(config, directory))


def _reserve(config: EngineConfig, directory: Path) -> None:
    try:
        tensors = read_headers(directory) or {}
    except ModelNotSupported:  # which the loading raises
        return
    if is_described(directory):
        if size := _bytes_of_blocks(tensors, config):
            reserve_memory(size)
        return
    sizes = sorted((_packed_bytes(name, tensor, config), tensor.shape) for name, tensor in tensors.items())
    # The largest is the embedding, which stays as it is beside a head of its shape. One that is the head too
    # is laid out anew beside itself; where that is smaller than the weight, memory for it would be as much
    # beyond the model's in a first pass, for which torch may copy the weight.
    has_head = len(sizes) > 1 and sizes[-1] == sizes[-2]
    without_largest = has_head or config.quantize is not None
    if size := sum(num_bytes for num_bytes, _ in (sizes[:-1] if without_largest else sizes)):
        reserve_memory(size)


def _packed_bytes(name: str, tensor: StoredTensor, config: EngineConfig) -> int:
    """Return the memory that a stored weight takes once it is laid out anew; 0 if it needs no new memory.

    What is not provided ahead costs time, and what is provided in vain is memory beyond the model's: nothing
    is for float32, of which only merged layers are laid out, nor for what is converted first.
    """
    is_of_experts = ".experts." in name  # which transformers joins in memory of its own
    if len(tensor.shape) != 2 or is_of_experts or config.dtype not in _UNCONVERTED.get(tensor.dtype, ()):
        return 0
    if (form := ROUNDED_FORMS.get(config.quantize or "")) is not None:
        return form.num_bytes(*tensor.shape)
    if config.quantize == "int8":
        return tensor.num_elements
    return 0 if tensor.dtype == "F32" else tensor.num_bytes


def _bytes_of_blocks(tensors: Mapping[str, StoredTensor], config: EngineConfig) -> int:
    """Return the memory that a GGUF file's matrices take: in groups, but for the embedding, as numbers.

    An embedding that is the head too takes both.
    """
    if config.dtype != "auto" or config.quantize == "int8" or lacks_library():
        return 0
    groups = {
        name: form.num_bytes(*tensor.shape)
        for name, tensor in tensors.items()
        if len(tensor.shape) == 2 and (form := FORMS.get(tensor.dtype)) is not None
    }
    embedding = tensors.get(_EMBEDDING)
    numbers = 0 if embedding is None else _BYTES_OF_NUMBER * embedding.num_elements
    beside = {_EMBEDDING} if _HEAD in tensors else set()
    return numbers + sum(size for name, size in groups.items() if name not in beside)


def _own_or_fetched(config: EngineConfig) -> Path | None:
    try:
        directory = own_directory(config.model, config.revision)
        if directory is None:
            directory = Path(snapshot_download(config.model, revision=config.revision, local_files_only=True))
    except (ModelNotSupported, HfHubHTTPError, HFValidationError, LocalEntryNotFoundError):
        return None  # it is fetched, or refused, when it is loaded
    return directory


def _read_ahead(files: Sequence[Path]) -> None:
    for path in files:
        try:
            with path.open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_WILLNEED)
        except OSError:
            return
