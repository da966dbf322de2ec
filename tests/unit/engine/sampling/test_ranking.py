import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from engine.native.library import load_library
from engine.sampling.native_ranking import can_rank
from engine.sampling.ranking import best_by_torch, best_tokens, top_by_torch, top_tokens


def rows_with_ties(seed: int, vocab_size: int, *, num_levels: int) -> torch.Tensor:
    """[3, vocab_size] float32 of few distinct values, so that most are equal to others."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(-num_levels, num_levels, (3, vocab_size), generator=generator) / 4


def reference(row: list[float], k: int) -> list[int]:
    return sorted(range(len(row)), key=lambda token_id: (-row[token_id], token_id))[:k]


@given(
    seed=st.integers(0, 10_000),
    vocab_size=st.integers(1, 3000),
    num_levels=st.sampled_from([1, 3, 1000]),
    k=st.sampled_from([1, 2, 8, 9, 50, 64, 65, 200, 513, 3000]),
)
def test_top_tokens_are_by_value_then_by_id(seed: int, vocab_size: int, num_levels: int, k: int) -> None:
    logits = rows_with_ties(seed, vocab_size, num_levels=num_levels)
    for find in (top_tokens, top_by_torch):
        values, ids = find(logits, k)
        assert ids.tolist() == [reference(row, k) for row in logits.tolist()]
        assert torch.equal(values, logits.gather(1, ids))


@pytest.mark.parametrize("num_levels", [1, 3, 1000])
@pytest.mark.parametrize("k", [513, 1000, 4096, 4097])
def test_many_tokens_of_a_wide_row_are_by_value_then_by_id(k: int, num_levels: int) -> None:
    logits = rows_with_ties(0, 40_000, num_levels=num_levels)
    for find in (top_tokens, top_by_torch):
        assert find(logits, k)[1].tolist() == [reference(row, k) for row in logits.tolist()]


@given(seed=st.integers(0, 10_000), vocab_size=st.integers(1, 3000), num_levels=st.sampled_from([1, 3, 1000]))
def test_the_best_token_is_the_lowest_id_of_the_highest_value(
    seed: int, vocab_size: int, num_levels: int
) -> None:
    logits = rows_with_ties(seed, vocab_size, num_levels=num_levels)
    values, ids = best_tokens(logits)
    assert ids.tolist() == [reference(row, 1)[0] for row in logits.tolist()]
    assert torch.equal(values, logits.amax(dim=-1))


@pytest.mark.parametrize("vocab_size", [300, 20_000])
def test_bfloat16_ranks_as_the_same_values_in_float32(vocab_size: int) -> None:
    logits = torch.randn(4, vocab_size, generator=torch.Generator().manual_seed(0)).bfloat16()
    assert torch.equal(top_tokens(logits, 50)[1], top_tokens(logits.float(), 50)[1])
    assert torch.equal(best_tokens(logits)[1], best_tokens(logits.float())[1])


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("vocab_size", [1, 31, 4095, 4096, 4097, 20_000])
def test_compiled_code_finds_what_torch_finds(vocab_size: int, dtype: torch.dtype) -> None:
    logits = torch.randn(40, vocab_size, generator=torch.Generator().manual_seed(2)).to(dtype)
    logits[0], logits[1, vocab_size // 2 :], logits[2, -1] = -torch.inf, -0.0, torch.inf
    assert not load_library() or can_rank(logits)
    for ours, theirs in (
        *zip(best_tokens(logits), best_by_torch(logits), strict=True),
        *zip(top_tokens(logits, 30), top_by_torch(logits, 30), strict=True),
    ):
        assert ours.dtype == theirs.dtype and torch.equal(ours, theirs)


def test_infinite_values_and_both_zeros_have_their_place() -> None:
    logits = torch.tensor([[-torch.inf, -0.0, 0.0, torch.inf, -1.0]])
    assert top_tokens(logits, 5)[1].tolist() == top_by_torch(logits, 5)[1].tolist() == [[3, 1, 2, 4, 0]]


@pytest.mark.parametrize("vocab_size", [10, 5000])
def test_nan_shows_in_the_best_value(vocab_size: int) -> None:
    logits = torch.zeros(2, vocab_size)
    logits[1, vocab_size // 2] = torch.nan
    for values in (
        best_tokens(logits)[0],
        best_by_torch(logits)[0],
        *(find(logits, 3)[0][:, 0] for find in (top_tokens, top_by_torch)),
    ):
        assert values.isnan().tolist() == [False, True]


def test_a_slice_of_wider_rows_ranks_as_its_copy() -> None:
    logits = torch.randn(5, 9000, generator=torch.Generator().manual_seed(1))
    view = logits[:, :7777]
    assert torch.equal(top_tokens(view, 20)[1], top_tokens(view.clone(), 20)[1])
    assert torch.equal(best_tokens(view)[1], best_tokens(view.clone())[1])
