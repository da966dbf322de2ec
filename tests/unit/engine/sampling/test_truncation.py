import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from engine.port.request import SamplingParams
from engine.sampling.truncation import keep_best, truncate
from tests.unit.engine.sampling import reference_sampler
from tests.unit.engine.sampling.sampling_cases import logits

# Between 0.999 and 1 the rounding of float32 weights, not the definition, decides on the last token.
shares = st.floats(0.01, 0.999) | st.just(1.0)


def kept_by_reference(row: torch.Tensor, params: SamplingParams) -> list[bool]:
    return [p > 0 for p in reference_sampler.distribution(row.double().tolist(), params)]


@given(
    seed=st.integers(0, 10_000),
    vocab_size=st.integers(1, 400),
    spread=st.sampled_from([0.5, 2.0, 8.0]),
    top_p=shares,
    typical_p=shares,
    min_p=st.floats(0, 1),
)
def test_each_row_keeps_what_the_definition_keeps(
    seed: int, vocab_size: int, spread: float, top_p: float, typical_p: float, min_p: float
) -> None:
    rows = logits(4, vocab_size, spread=spread, seed=seed)
    params = [
        SamplingParams(top_p=top_p),
        SamplingParams(typical_p=typical_p),
        SamplingParams(min_p=min_p),
        SamplingParams(top_p=top_p, min_p=min_p),
    ]
    weights = rows.softmax(dim=-1)
    truncate(weights, params)
    for row, row_weights, row_params in zip(rows, weights, params, strict=True):
        assert (row_weights > 0).tolist() == kept_by_reference(row, row_params)


@pytest.mark.parametrize("spread", [0.3, 3.0])
@pytest.mark.parametrize(
    "params",
    [
        SamplingParams(top_p=0.9),
        SamplingParams(top_p=0.05),
        SamplingParams(typical_p=0.5),
        SamplingParams(min_p=0.2),
        SamplingParams(top_p=0.9, typical_p=0.9, min_p=0.01),
    ],
    ids=["top_p 0.9", "top_p 0.05", "typical_p", "min_p", "all"],
)
def test_a_wide_vocabulary_keeps_what_the_definition_keeps(params: SamplingParams, spread: float) -> None:
    rows = logits(2, 30_000, spread=spread)
    weights = rows.softmax(dim=-1)
    truncate(weights, [params, SamplingParams()])
    expected = torch.tensor(kept_by_reference(rows[0], params))
    # Sums of 30,000 float32 terms may place the threshold one token off.
    assert int(((weights[0] > 0) != expected).sum()) <= 1
    assert torch.equal(weights[1], rows[1].softmax(dim=-1))


@pytest.mark.parametrize("vocab_size", [50, 30_000])
def test_of_equal_tokens_the_first_are_kept(vocab_size: int) -> None:
    weights = torch.full((1, vocab_size), 1 / vocab_size)
    truncate(weights, [SamplingParams(top_p=0.5)])
    assert torch.equal(weights[0] > 0, torch.arange(vocab_size) < vocab_size / 2)


@pytest.mark.parametrize("vocab_size", [50, 30_000])
@pytest.mark.parametrize(
    "params",
    [SamplingParams(top_p=0.0), SamplingParams(typical_p=0.0), SamplingParams(min_p=1.0)],
    ids=["top_p", "typical_p", "min_p"],
)
def test_at_least_one_token_stays(params: SamplingParams, vocab_size: int) -> None:
    weights = logits(1, vocab_size).softmax(dim=-1)
    truncate(weights, [params])
    assert int((weights > 0).sum()) == 1


@given(seed=st.integers(0, 1000), top_k=st.lists(st.none() | st.integers(1, 60), min_size=4, max_size=4))
def test_each_row_keeps_its_best_tokens_and_of_equal_ones_the_first(
    seed: int, top_k: list[int | None]
) -> None:
    rows = logits(4, 50, seed=seed).round()
    before = rows.clone()
    keep_best(rows, [SamplingParams(top_k=k) for k in top_k])
    for row, old, k in zip(rows.tolist(), before.tolist(), top_k, strict=True):
        best = sorted(range(50), key=[-value for value in old].__getitem__)[:k]  # of equal ones, by id
        assert row == [old[i] if i in best else -float("inf") for i in range(50)]


def test_neutral_settings_change_nothing() -> None:
    weights = logits(3, 5000).softmax(dim=-1)
    before = weights.clone()
    truncate(weights, [SamplingParams(top_k=3), SamplingParams(temperature=0.0), SamplingParams()])
    assert torch.equal(weights, before)
