"""Each row of a batch gets its own adapter's part, and nothing of another's."""

from weakref import ref

import torch
from torch import Tensor

from engine.model.adapters import AdaptedRows, JoinedAdapters, LoraAdapter, LowRank
from engine.port.info.adapter import Adapter

CPU = torch.device("cpu")
PATH = "layers.0.q_proj"


def adapter(name: str, rank: int, *, scale: float = 1.0, path: str = PATH) -> LoraAdapter:
    torch.manual_seed(rank)
    return LoraAdapter(name, name, {path: LowRank(torch.randn(rank, 6) * scale, torch.randn(rank, 5))})


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
                expected = one.layers[PATH].up.T @ (one.layers[PATH].down @ rows[0, row])
            torch.testing.assert_close(actual, expected)


def test_what_overflows_by_one_adapter_reaches_no_other_row() -> None:
    rows = torch.ones(1, 3, 6)
    output = added([adapter("huge", 2, scale=1e38), adapter("poet", 3), None], rows * 1e3, JoinedAdapters())
    assert not output[0].isfinite().all()
    assert output[1:].isfinite().all() and output[2].eq(0).all()


def test_copies_of_an_adapter_are_freed_with_it() -> None:
    joined, kept, dropped = JoinedAdapters(), adapter("poet", 2), adapter("clerk", 3)
    rows = torch.randn(1, 2, 6)
    added([kept, dropped], rows, joined)
    copies = ref(joined.of([kept, dropped]))
    assert joined.of([dropped]) is copies()
    del dropped
    assert copies() is None
    expected = kept.layers[PATH].up.T @ (kept.layers[PATH].down @ rows[0, 0])
    torch.testing.assert_close(added([kept, adapter("new", 4)], rows, joined)[0], expected)


def test_a_batch_keeps_its_copies_while_another_adapter_leaves_memory() -> None:
    joined, adapters = JoinedAdapters(), [adapter(name, rank) for rank, name in enumerate("abc", 1)]
    rows = torch.randn(1, 3, 6)
    added(list(adapters), rows, joined)
    batch = AdaptedRows(adapters[:2], CPU, joined)
    output = torch.zeros(1, 2, 5)
    batch.add(PATH, rows[:, :2], output)
    first = output.clone()
    adapters.pop()
    batch.add(PATH, rows[:, :2], output)
    torch.testing.assert_close(output, 2 * first)
