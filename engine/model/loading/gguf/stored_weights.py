"""The contents of a GGUF file's tensors, which become plain weights one by one as transformers reads them."""

import math
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from gguf import GGMLQuantizationType
from torch import Tensor
from transformers import PreTrainedConfig

from engine.model.loading.gguf.blocks import read_blocks
from engine.model.loading.gguf.header import GGUFTensor
from engine.model.loading.gguf.tensor_names import Change, Source
from engine.native.huge_pages import empty_tensor
from engine.port.errors import ModelNotSupported

_AT_ONCE: Final = 1 << 16  # numbers, which as float32 fit a core's cache next to the result
_READ_AT_ONCE: Final = 1 << 15  # as many as torch computes in one thread, so that several can read
_FEWEST_SPANS: Final = 64  # of a thread


class StoredWeight:
    """A tensor of the model, unread. `weight[...]` reads it, in the type that it is wanted in.

    Numbers are computed in float32 and rounded once.
    """

    def __init__(
        self, path: Path, content: np.ndarray[Any, Any], source: Source, num_heads: int, dtype: torch.dtype
    ) -> None:
        """Read nothing yet.

        content: the whole file's bytes, mapped. num_heads: the heads of a tensor whose rows are permuted.
        """
        self._path, self._content, self._source = path, content, source
        self._num_heads = num_heads
        self.dtype = dtype
        self.shape = source.shape

    @torch.inference_mode(False)
    @torch.no_grad()
    def __getitem__(self, index: object) -> Tensor:
        """Return the whole tensor; transformers asks for nothing else. Raises ModelNotSupported."""
        result = empty_tensor(self.shape, self.dtype)
        parts = self._source.parts
        if len(parts) > 1:  # of experts: those of a part are apart from one another in the result
            for place, part in zip(
                torch.split(result, [each.shape[-2] for each in parts], dim=-2), parts, strict=True
            ):
                place.copy_(self._read(part, torch.empty(part.shape, dtype=self.dtype)))
        else:
            self._read(parts[0], result)
        return unpermuted(result, self._num_heads) if self._source.change is Change.PERMUTED else result

    def _read(self, tensor: GGUFTensor, result: Tensor) -> Tensor:
        """Return the result with a stored tensor's numbers in it, read by several threads if it is large."""
        spans = spans_of(tensor, at_once=_READ_AT_ONCE)
        num_threads = min(torch.get_num_threads(), 1 + len(spans) // _FEWEST_SPANS)
        read = partial(self._read_spans, tensor, result.view(-1))
        if num_threads == 1:
            read(spans)
            return result
        with ThreadPoolExecutor(num_threads, "gguf-numbers") as threads:
            list(threads.map(read, (spans[index::num_threads] for index in range(num_threads))))
        return result

    def _read_spans(self, tensor: GGUFTensor, flat: Tensor, spans: list[slice]) -> None:
        """Put the numbers of some spans of a stored tensor into all of its numbers."""
        size, num_bytes = tensor.block
        for span, numbers in zip(spans, plain_numbers(self._content, tensor, spans), strict=True):
            if self._source.change is Change.ADDED_ONE:
                numbers -= 1
            self._check(numbers, tensor.name)
            first = (span.start - tensor.first) // num_bytes * size
            flat[first : first + len(numbers)] = numbers

    def _check(self, numbers: Tensor, name: str) -> None:
        """Raise ModelNotSupported for numbers that are not finite, or too large for the type."""
        least, greatest = (float(each) for each in numbers.aminmax())
        if not (math.isfinite(least) and math.isfinite(greatest)):  # NaN if any number is
            raise ModelNotSupported(f"the weights in {self._path} hold NaN or infinity: {name}")
        if max(-least, greatest) > torch.finfo(self.dtype).max:
            raise ModelNotSupported(
                f"the weights in {self._path} hold numbers too large for {self.dtype}: {name}; give --dtype "
                "bfloat16 or float32"
            )


def map_file(path: Path) -> np.ndarray[Any, Any]:
    """Return the bytes of a file, which are read once they are needed."""
    return np.memmap(path, np.uint8, "r")


def unread_weights(
    path: Path, sources: Mapping[str, Source], config: PreTrainedConfig, dtype: torch.dtype
) -> dict[str, StoredWeight]:
    """Return the model's tensors by name, none of them read."""
    content = map_file(path)
    return {
        name: StoredWeight(path, content, source, num_heads(name, config), dtype)
        for name, source in sources.items()
    }


def num_heads(name: str, config: PreTrainedConfig) -> int:
    """Return the number of heads whose rows a tensor has, if it is one whose rows are permuted."""
    return int(config.num_key_value_heads if ".k_proj." in name else config.num_attention_heads)


def plain_numbers(
    content: np.ndarray[Any, Any], tensor: GGUFTensor, spans: Iterable[slice]
) -> Iterator[Tensor]:
    """Yield the numbers of a tensor as float32, one span of the file after the other."""
    kind = GGMLQuantizationType[tensor.kind]
    for span in spans:
        yield read_blocks(np.asarray(content[span]), kind, tensor.block)


def spans_of(tensor: GGUFTensor, *, rows: int | None = None, at_once: int = _AT_ONCE) -> list[slice]:
    """Return where in the file a tensor's blocks are, some at a time.

    rows: a number of rows of which each span has multiples, if any. at_once: the numbers of a span, about.
    """
    size, num_bytes = tensor.block
    unit = size if rows is None else rows * tensor.shape[-1]
    step = max(1, at_once // unit) * (unit // size) * num_bytes
    end = tensor.first + tensor.num_bytes
    return [slice(first, min(first + step, end)) for first in range(tensor.first, end, step)]


def unpermuted(weight: Tensor, num_heads: int) -> Tensor:
    """Return rows in the order of halves that transformers rotates, from llama.cpp's order of pairs."""
    halves = weight.view(num_heads, len(weight) // num_heads // 2, 2, *weight.shape[1:])
    return halves.transpose(1, 2).reshape(weight.shape)
