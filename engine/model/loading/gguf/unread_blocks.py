"""The weights of linear layers that stay in the blocks of a GGUF file until they are multiplied."""

import ctypes
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from gguf import GGMLQuantizationType
from torch import Tensor
from typing_extensions import override

from engine.model.loading.gguf.stored_weights import StoredWeight, plain_numbers, spans_of, unpermuted
from engine.model.loading.gguf.tensor_names import Change, Source
from engine.native.library import compiled
from engine.port.errors import ModelNotSupported
from engine.weights.finite import are_finite
from engine.weights.grouped_weight import GroupedWeight, GroupForm
from engine.weights.unread_weight import UnreadWeight

FORMS: Final[Mapping[str, GroupForm]] = {
    "Q4_0": GroupForm(4, 32, has_mins=False),
    "Q4_1": GroupForm(4, 32, has_mins=True),
    "Q5_0": GroupForm(5, 32, has_mins=False),
    "Q5_1": GroupForm(5, 32, has_mins=True),
    "Q8_0": GroupForm(8, 32, has_mins=False),
    "Q4_K": GroupForm(4, 32, has_mins=True),
    "Q5_K": GroupForm(5, 32, has_mins=True),
    "Q6_K": GroupForm(6, 16, has_mins=False),
}
"""The forms of blocks, by ggml's name for their kind."""


_SAMPLED: Final = 8  # of so many parts of a weight, one is compared with what became of it


def has_groups(source: Source) -> bool:
    """Return whether a stored tensor is a matrix in blocks that become groups."""
    return (
        len(source.parts) == 1
        and len(source.shape) == 2
        and source.parts[0].kind in FORMS
        and source.change is not Change.ADDED_ONE
    )


class UnreadBlocks(UnreadWeight):
    """A weight in blocks. Requires `has_groups` of its source, and compiled code to read them as groups."""

    def __init__(self, path: Path, content: np.ndarray[Any, Any], source: Source, num_heads: int) -> None:
        """The arguments are as of `StoredWeight`."""
        self._path, self._content, self._source, self._num_heads = path, content, source, num_heads

    @property
    @override
    def shape(self) -> tuple[int, int]:
        """The numbers of outputs and inputs."""
        num_outputs, num_inputs = self._source.shape
        return num_outputs, num_inputs

    @property
    @override
    def form(self) -> GroupForm:
        """The form of its groups."""
        return FORMS[self._source.parts[0].kind]

    @override
    def read_groups(self) -> GroupedWeight:
        """Return the weight, whose integers are the file's.

        A scale of a K-quant is a product of two numbers, of which float16 may hold only the nearest. Raises
        ModelNotSupported for scales that are not finite, or too large for float16.
        """
        tensor = self._source.parts[0]
        form, grid = self.form, (self.shape[0], self.shape[1] // self.form.group_size)
        values = torch.empty(self.shape, dtype=torch.int8 if form.bits == 8 else torch.uint8)
        scales = torch.empty(grid)
        mins = torch.empty(grid) if form.has_mins else None
        blocks = np.asarray(self._content[tensor.first : tensor.first + tensor.num_bytes])
        is_known = compiled().verbatim_gguf_groups(
            ctypes.c_int32(GGMLQuantizationType[tensor.kind]),
            ctypes.c_void_p(blocks.ctypes.data),
            ctypes.c_int64(tensor.num_bytes // tensor.block[1]),
            *(ctypes.c_void_p(each.data_ptr()) for each in (values, scales)),
            ctypes.c_void_p(None if mins is None else mins.data_ptr()),
            ctypes.c_int32(torch.get_num_threads()),
        )
        assert is_known, tensor.kind
        found = GroupedWeight(
            values,
            self._half(scales, tensor.name),
            None if mins is None else self._half(mins, tensor.name),
            form.group_size,
            form.bits,
        )
        if self._source.change is Change.PERMUTED:
            return found.of_outputs(unpermuted(torch.arange(self.shape[0]), self._num_heads))
        return found

    @override
    def read_plain(self, dtype: torch.dtype) -> Tensor:
        """Return the plain weight, rounded once. Raises ModelNotSupported as `StoredWeight` does."""
        return StoredWeight(self._path, self._content, self._source, self._num_heads, dtype)[...]

    @override
    def plain_blocks(self) -> Iterator[Tensor]:
        """Yield the plain weight, as many outputs at a time as fit a core's cache."""
        yield from self._plain(self._spans())

    @override
    def plain_sample(self) -> Iterator[tuple[int, Tensor]]:
        """Yield an eighth of the plain weight, or more of a small one."""
        *others, last = self._spans()
        tensor = self._source.parts[0]
        row_bytes = tensor.num_bytes // self.shape[0]
        chosen = [*others[::_SAMPLED], last]
        for span, weight in zip(chosen, self._plain(chosen), strict=True):
            yield (span.start - tensor.first) // row_bytes, weight

    def _spans(self) -> list[slice]:
        return spans_of(self._source.parts[0], rows=self._rows_at_once)

    @property
    def _rows_at_once(self) -> int:
        """The number of rows that change places among one another: heads are permuted, each in itself."""
        return self.shape[0] // self._num_heads if self._source.change is Change.PERMUTED else 1

    def _plain(self, spans: Iterable[slice]) -> Iterator[Tensor]:
        is_permuted = self._source.change is Change.PERMUTED
        for numbers in plain_numbers(self._content, self._source.parts[0], spans):
            weight = numbers.view(-1, self.shape[1])
            yield unpermuted(weight, len(weight) // self._rows_at_once) if is_permuted else weight

    def _half(self, numbers: Tensor, name: str) -> Tensor:
        halves = numbers.half()
        if are_finite(halves):
            return halves
        if not are_finite(numbers):
            raise ModelNotSupported(f"the weights in {self._path} hold NaN or infinity: {name}")
        raise ModelNotSupported(
            f"the weights in {self._path} hold scales too large for float16: {name}; give --dtype bfloat16 "
            "or float32"
        )
