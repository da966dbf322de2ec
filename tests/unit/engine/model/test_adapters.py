"""Each row of a batch gets its own adapter's part, and nothing of another's."""

import torch
from torch import Tensor

from engine.adapter import Adapter
from engine.model.adapters import AdaptedRows, JoinedAdapters, LoraAdapter, LowRank

CPU = torch.device("cpu")
PATH = "layers.0.q_proj"


def adapter(name: str, rank: int, *, scale: float = 1.0, path: str = PATH) -> LoraAdapter:
    torch.manual_seed(rank)
    return LoraAdapter(name, name, {path: LowRank(torch.randn(rank, 6) * scale, torch.randn(5, rank))})


def added(adapters: list[Adapter | None], rows: Tensor, joined: JoinedAdapters) -> Tensor:
    output = torch.zeros(1, len(adapters), 5)
    AdaptedRows(adapters, CPU, joined).add(PATH, rows, output)
    return output[0]


def test_joined_adapters_add_what_each_adds_alone() -> None:
    poet, clerk, other = adapter("poet", 2), adapter("clerk", 3), adapter("other", 4, path="elsewhere")
    joined = JoinedAdapters()
    for adapters in ([poet, None, clerk, poet, other], [clerk, None, poet, None, None], [other, poet] * 40):
        rows = torch.randn(1, len(adapters), 6)
        for row, (one, actual) in enumerate(zip(adapters, added(list(adapters), rows, joined), strict=True)):
            expected = torch.zeros(5)
            if one is not None and PATH in one.layers:
                expected = one.layers[PATH].up @ (one.layers[PATH].down @ rows[0, row])
            torch.testing.assert_close(actual, expected)


def test_what_overflows_by_one_adapter_reaches_no_other_row() -> None:
    rows = torch.ones(1, 3, 6)
    output = added([adapter("huge", 2, scale=1e38), adapter("poet", 3), None], rows * 1e3, JoinedAdapters())
    assert not output[0].isfinite().all()
    assert output[1:].isfinite().all() and output[2].eq(0).all()
