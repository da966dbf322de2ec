"""A load takes little more memory of its own at its highest than the model keeps."""

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import torch

from tests.support.selection.effort import IS_WHOLE
from tests.support.selection.instructions import needs_compiled_bfloat16
from tests.unit.engine.model.loading.load_memory import Case, measure
from tools.bench.random_model import write_model

MOST = 1.15  # times what is kept
# Weights that become another type, and those that are rounded; `make test-long` loads others too.
CASES = [
    Case("float32", dtype="bfloat16"),
    Case("bfloat16", quantize="int4"),
    *([Case("float32"), Case("bfloat16", quantize="int8")] if IS_WHOLE else []),
]


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return what writes a model with weights of a type, which torch names so, once for all cases."""

    @cache
    def written(stored: str) -> Path:
        directory = tmp_path_factory.mktemp(stored)
        write_model(directory, "medium", getattr(torch, stored))
        return directory

    return written


@pytest.mark.long
@needs_compiled_bfloat16
@pytest.mark.skipif(sys.platform != "linux", reason="Linux says how much memory a process has")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_nothing_but_a_layer_is_in_memory_twice(checkpoint: Callable[[str], Path], case: Case) -> None:
    found = measure(checkpoint(case.stored), case)
    assert found.final > 60e6, found  # so that what else a process has is little
    assert found.ratio < MOST, found
