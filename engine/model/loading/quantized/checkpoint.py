"""A quantized checkpoint as the plain weights that it becomes, each of which is unpacked when it is read."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from typing_extensions import override

from engine.model.loading.checkpoint.stored_tensors import StoredTensor
from engine.model.loading.quantized.quantized_weight import (
    INPUT_GROUPS,
    Format,
    QuantizedWeight,
    UnpackedIntegers,
)
from engine.model.loading.quantized.scaled_blocks import Malformed
from engine.model.loading.quantized.stored_parts import StoredParts
from engine.model.loading.quantized.tensor_files import TensorFiles
from engine.port.errors import ModelNotSupported
from engine.weights.grouped_weight import GroupedWeight, GroupForm
from engine.weights.unread_weight import UnreadWeight


class QuantizedCheckpoint:
    """The weights of a checkpoint in a format. Raises ModelNotSupported for what is not as it says.

    tensors: headers of what is stored. files: their contents; None if only headers are known. dtype: what a
    config.json says of the plain weights, in safetensors' words.
    """

    def __init__(
        self,
        directory: Path,
        format: Format,
        tensors: Mapping[str, StoredTensor],
        files: TensorFiles | None,
        dtype: str,
    ) -> None:
        parts = StoredParts(directory, tensors)
        self._directory = directory
        self._files = files
        self._weights = {weight.name: weight for weight in format.weights(parts, files)}
        if not self._weights:
            parts.refuse(f"none of its tensors is one of {format.label}")
        if twice := self._weights.keys() & parts.left.keys():
            parts.refuse(f"{min(twice)} is stored twice, plain and quantized")
        self._plain = parts.left
        self.label = format.label
        self.stored = tensors
        self.tensors = self._plain | {
            name: StoredTensor(dtype, weight.shape) for name, weight in self._weights.items()
        }

    def unread_groups(self) -> dict[str, UnreadWeight]:
        """Return the matrices that may stay in groups, by name; they can be read if the files are here."""
        return {
            name: _Unread(self._directory, weight, self._files, torch.float32)
            for name, weight in self._weights.items()
            if weight.form is not None
        }

    def read(self, dtype: torch.dtype) -> dict[str, Any]:
        """Return what transformers reads each plain tensor from once it needs it, by name.

        dtype: of unpacked weights. Reading raises ModelNotSupported for contents that no quantization gives.
        """
        assert self._files is not None
        unread: dict[str, Any] = {name: self._files.unread(name) for name in self._plain}
        for name, weight in self._weights.items():
            unread[name] = _Unread(self._directory, weight, self._files, dtype)
        return unread


class _Unread(UnreadWeight):
    """A weight that is read when it is needed. dtype: of the plain weight, as transformers reads it."""

    def __init__(
        self, directory: Path, weight: QuantizedWeight, files: TensorFiles | None, dtype: torch.dtype
    ) -> None:
        self._directory = directory
        self._weight = weight
        self._files = files
        self._dtype = dtype

    @torch.inference_mode(False)
    @torch.no_grad()
    def __getitem__(self, whole: object) -> Tensor:
        """Return the plain weight. whole: an ellipsis, which is all that transformers asks for."""
        return self.read_plain(self._dtype)

    @property
    @override
    def shape(self) -> tuple[int, int]:
        """The numbers of outputs and inputs."""
        num_outputs, num_inputs = self._weight.shape
        return num_outputs, num_inputs

    @property
    @override
    def form(self) -> GroupForm:
        """The form of its groups."""
        assert self._weight.form is not None
        return self._weight.form

    @override
    def read_input_groups(self) -> Tensor | None:
        """Return the stored group of each input; None if they are not listed, or no contents are here."""
        name = self._weight.parts.get(INPUT_GROUPS)
        return None if name is None or self._files is None else self._files.read(name)

    @override
    def read_groups(self) -> GroupedWeight:
        """Return the weight in groups. Raises NotGrouped, and ModelNotSupported."""
        with self._refusals():
            unpacked = self._weight.unpack(self._read())
            assert isinstance(unpacked, UnpackedIntegers)
            return unpacked.to_groups()

    @override
    def read_plain(self, dtype: torch.dtype) -> Tensor:
        """Return the plain weight, rounded once. Raises ModelNotSupported."""
        with self._refusals():
            return self._weight.unpack(self._read()).dense(dtype)

    def _read(self) -> dict[str, Tensor]:
        assert self._files is not None
        return {part: self._files.read(name) for part, name in self._weight.parts.items()}

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        try:
            yield
        except Malformed as error:
            raise ModelNotSupported(
                f"{self._weight.name} in {self._directory} cannot be unpacked: {error}"
            ) from error
