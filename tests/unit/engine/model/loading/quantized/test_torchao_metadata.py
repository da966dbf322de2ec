"""Whatever the metadata of torchao's files say, a weight is of the size of its numbers, or refused."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from safetensors.torch import save_file

from engine.model.loading.checkpoint.stored_tensors import read_headers
from engine.model.loading.quantized.formats.torchao import TorchAo
from engine.model.loading.quantized.scaled_blocks import Malformed
from engine.model.loading.quantized.stored_parts import StoredParts
from engine.model.loading.quantized.tensor_files import TensorFiles
from engine.port.errors import ModelNotSupported
from tests.support.selection.effort import trials
from tests.unit.engine.model.loading.quantized import torchao_makers
from tests.unit.engine.model.loading.quantized.pairs import WEIGHTS

CLASSES = ("Float8Tensor", "Int4Tensor", "Int8Tensor", "IntxUnpackedToInt8Tensor", "MXTensor", "Tensor")
SIZES = st.one_of(st.sampled_from([1, 8, 16, 32, 48, 64]), st.integers())
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
PAIRS = st.one_of(st.lists(SIZES, min_size=2, max_size=2), VALUES)
DTYPES = st.one_of(
    st.fixed_dictionaries({"_data": st.sampled_from(["int1", "int4", "int8", "int9", "uint4"])}), VALUES
)
DESCRIBED = st.fixed_dictionaries(
    {
        "_type": st.one_of(st.sampled_from(CLASSES), VALUES),
        "_data": st.one_of(
            st.fixed_dictionaries({"shape": PAIRS, "block_size": PAIRS, "target_dtype": DTYPES}), VALUES
        ),
    }
)
GOOD: dict[str, Any] = {"shape": [48, 64], "block_size": [1, 32], "target_dtype": {"_data": "int4"}}


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three weights whose numbers are as small as a nibble, a byte and a float of 8 bits."""
    folder = tmp_path_factory.mktemp("torchao")
    weight = torch.randn(48, 64)
    made = {
        "a.": torchao_makers.nibbles(weight, group_size=32),
        "b.": torchao_makers.integers(weight, bits=4, block=(1, 32), is_symmetric=False),
        "c.": torchao_makers.floats(weight, block=(1, 32)),
    }
    tensors = {base + end: part for base, one in made.items() for end, part in one.stored.items()}
    save_file(tensors, folder / WEIGHTS, {"format": "pt"})
    return folder


@given(found=st.one_of(DESCRIBED, VALUES))
@example(found={"_type": "Int4Tensor", "_data": GOOD})
@example(found={"_type": "IntxUnpackedToInt8Tensor", "_data": GOOD})
@example(found={"_type": "Float8Tensor", "_data": GOOD})
@settings(max_examples=trials(150, whole=3000), deadline=None)
@pytest.mark.parametrize("base", ["a.", "b.", "c."])
def test_any_metadata_are_refused_or_give_a_weight_of_the_size_of_its_numbers(
    base: str, found: object, directory: Path
) -> None:
    headers = read_headers(directory)
    assert headers is not None
    files = TensorFiles(directory)
    files.metadata = {f"{base}weight": json.dumps(found)}
    parts = StoredParts(directory, {name: part for name, part in headers.items() if name.startswith(base)})
    try:
        (weight,) = TorchAo(None).weights(parts, files)
    except ModelNotSupported:
        return
    read = {part: files.read(name) for part, name in weight.parts.items()}
    try:
        plain = weight.unpack(read).dense(torch.float32)
    except Malformed:
        return
    assert weight.name == f"{base}weight" and not parts.left
    assert plain.shape == weight.shape == (48, 64)
