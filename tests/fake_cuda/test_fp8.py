"""torch takes our products in 8-bit floating point on a GPU's tensors."""

import pytest
import torch
from torch import nn
from torch._subclasses import FakeTensorMode

from engine.linear.rounded.fp8_linear import Fp8Linear


@pytest.mark.parametrize("num_rows", [1, 17, 256])
def test_a_layer_takes_any_number_of_rows(num_rows: int) -> None:
    with FakeTensorMode(), torch.inference_mode():
        linear = nn.Linear(64, 48, device="cuda", dtype=torch.bfloat16)
        rows = torch.zeros(1, num_rows, 64, device="cuda", dtype=torch.bfloat16)
        output = Fp8Linear(linear)(rows)
    assert (output.shape, output.dtype, output.device.type) == ((1, num_rows, 48), torch.bfloat16, "cuda")
