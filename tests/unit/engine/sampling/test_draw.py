import msgspec
import pytest
import torch

from engine.native.library import load_library
from engine.port.request import SamplingParams
from engine.sampling.draw import draw_greedy, draw_sampled
from tests.support.selection.effort import trials
from tests.unit.engine.port.text import tiny_tokenizers
from tests.unit.engine.sampling import reference_sampler
from tests.unit.engine.sampling.chi_square import chi_square_p_value
from tests.unit.engine.sampling.sampling_cases import TRUNCATIONS, logits, state

TOKENIZER = tiny_tokenizers.byte_level()
NUM_DRAWS = trials(2000, whole=4000)


@pytest.fixture(params=["compiled", "torch"])
def _both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "torch":
        monkeypatch.setattr("engine.sampling.draw.can_rank", lambda _: False)
    elif load_library() is None:
        pytest.skip("there is no compiled code")


both_ways = pytest.mark.usefixtures("_both_ways")
every_truncation = pytest.mark.parametrize("params", TRUNCATIONS.values(), ids=TRUNCATIONS)


def draw(rows: torch.Tensor, params: SamplingParams, *, seed: int = 0) -> torch.Tensor:
    """One draw for each row, each a sequence with a seed of its own: [n, v] -> [n]."""
    states = [
        state(TOKENIZER, msgspec.structs.replace(params, seed=seed), index=index)
        for index in range(len(rows))
    ]
    ids, is_drawn = draw_sampled(rows, states)
    assert bool(is_drawn.all())
    return ids


def counts_of(row: torch.Tensor, params: SamplingParams) -> torch.Tensor:
    return torch.bincount(draw(row.expand(NUM_DRAWS, -1), params), minlength=row.shape[-1])


@both_ways
@pytest.mark.by_turns("vocab_size", "params")
@every_truncation
@pytest.mark.parametrize("vocab_size", [40, 700])
def test_tokens_come_as_often_as_the_definition_says(params: SamplingParams, vocab_size: int) -> None:
    row = logits(1, vocab_size, spread=1.5, seed=3)
    expected = torch.tensor(reference_sampler.distribution(row[0].double().tolist(), params))
    assert chi_square_p_value(counts_of(row, params), expected) > 1e-4


@both_ways
@pytest.mark.parametrize("temperature", [1e-300, 1e30, 1e300])
@pytest.mark.parametrize("top_k", [None, 5])
def test_an_excluded_token_is_drawn_at_no_temperature(temperature: float, top_k: int | None) -> None:
    rows = logits(50, 40)
    rows[:, ::2] = -torch.inf
    ids = draw(rows, SamplingParams(temperature=temperature, top_k=top_k))
    assert (ids % 2 == 1).all()


def test_the_test_of_frequencies_sees_a_wrong_temperature() -> None:
    row = logits(1, 40, spread=1.5, seed=3)
    wrong = reference_sampler.distribution(row[0].double().tolist(), SamplingParams(temperature=1.2))
    assert chi_square_p_value(counts_of(row, SamplingParams()), torch.tensor(wrong)) < 1e-4


def test_each_position_of_a_sequence_is_drawn_afresh() -> None:
    row = logits(1, 40, spread=1.5, seed=3)
    sequence = state(TOKENIZER, SamplingParams(seed=5))
    drawn = []
    for _ in range(1500):
        drawn.append(int(draw_sampled(row, [sequence])[0]))
        sequence.accept(drawn[-1])
    expected = torch.tensor(reference_sampler.distribution(row[0].double().tolist(), SamplingParams()))
    assert chi_square_p_value(torch.bincount(torch.tensor(drawn), minlength=40), expected) > 1e-4
    pairs = torch.tensor(drawn[:-1]) * 40 + torch.tensor(drawn[1:])
    assert (
        chi_square_p_value(torch.bincount(pairs, minlength=1600), torch.outer(expected, expected).flatten())
        > 1e-4
    )


@both_ways
@pytest.mark.by_turns("vocab_size", "params")
@every_truncation
@pytest.mark.parametrize("vocab_size", [6000, 40, 151_936])
def test_a_row_is_drawn_in_any_batch_as_it_is_alone(params: SamplingParams, vocab_size: int) -> None:
    rows = logits(5, vocab_size)
    together = draw(rows, params)
    for index, row in enumerate(rows):
        alone = draw(row.expand(1, -1), params, seed=index)
        assert alone == together[index]


def wide_logits(spread: float = 2.0) -> torch.Tensor:
    return logits(4, 151_936, spread=spread)


ROWS = {
    "peaked": wide_logits(0.5).index_add_(1, torch.arange(1000, 150_000, 2990), torch.full((4, 50), 14.0)),
    "flat": wide_logits(0.5),
    "steep": wide_logits(8.0),
    "ties": wide_logits().bfloat16().float(),
    "equal": torch.zeros(4, 151_936),
    "masked": wide_logits().masked_fill_(torch.arange(151_936) % 300 != 7, -torch.inf),
    "one token": torch.full((4, 151_936), -torch.inf).index_fill_(1, torch.tensor([150_000]), 0.0),
    "bfloat16": logits(12, 20_000).bfloat16(),
    "a part": logits(12, 9_000)[:, :7_777],
    "narrow": logits(1, 37).expand(500, -1).contiguous(),  # so many draws that each token that is left comes
    "narrow ties": (logits(1, 90) * 2).round().expand(500, -1).contiguous(),
}


@pytest.mark.skipif(load_library() is None, reason="there is no compiled code")
@pytest.mark.by_turns("name", "params")
@every_truncation
@pytest.mark.parametrize("name", ROWS)
def test_compiled_code_draws_what_torch_draws(
    params: SamplingParams, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = ROWS[name]
    ours = draw(rows, params)
    monkeypatch.setattr("engine.sampling.draw.can_rank", lambda _: False)
    assert torch.equal(ours, draw(rows, params))


@pytest.mark.parametrize("vocab_size", [50, 30_000])
@pytest.mark.parametrize("params", [SamplingParams(top_k=20), SamplingParams(top_p=0.4)])
@both_ways
def test_of_equal_tokens_the_first_are_drawn(vocab_size: int, params: SamplingParams) -> None:
    num_kept = params.top_k or int(0.4 * vocab_size)
    ids = draw(torch.zeros(200, vocab_size), params)
    assert 0.9 * num_kept < int(ids.max()) + 1 <= num_kept


@both_ways
def test_rows_of_one_batch_may_have_settings_of_their_own() -> None:
    states = [state(TOKENIZER, msgspec.structs.replace(params, seed=8)) for params in TRUNCATIONS.values()]
    rows = logits(1, 500).expand(len(states), -1)
    ids, _ = draw_sampled(rows, states)
    assert ids.tolist() == [int(draw(rows[:1], sequence.params, seed=8)) for sequence in states]


@both_ways
@pytest.mark.parametrize("temperature", [1e-30, 1e-6, 0.01])
@pytest.mark.parametrize("params", [SamplingParams(), SamplingParams(top_k=5), SamplingParams(top_p=0.9)])
def test_a_temperature_near_zero_draws_the_best_token(params: SamplingParams, temperature: float) -> None:
    rows = logits(20, 300, spread=5.0)
    rows[:, 11] = 40.0
    drawn = draw(rows, msgspec.structs.replace(params, temperature=temperature))
    assert torch.equal(drawn, draw_greedy(rows, [])[0])


@pytest.mark.parametrize("params", [SamplingParams(), SamplingParams(top_k=5), SamplingParams(top_p=0.9)])
def test_an_excluded_token_is_never_drawn(params: SamplingParams) -> None:
    rows = logits(2000, 20)
    rows[:, ::2] = -torch.inf
    assert bool((draw(rows, params) % 2 == 1).all())


@both_ways
@pytest.mark.parametrize("value", [torch.nan, torch.inf, -torch.inf], ids=["NaN", "inf", "-inf"])
@pytest.mark.parametrize(
    "params", [*TRUNCATIONS.values(), SamplingParams(temperature=0.0)], ids=[*TRUNCATIONS, "greedy"]
)
def test_a_row_without_a_finite_best_is_not_drawn_and_the_others_are(
    params: SamplingParams, value: float
) -> None:
    rows = logits(3, 5000)
    expected = rows.clone()
    rows[1] = value
    draw_from = draw_greedy if params.is_greedy else draw_sampled
    states = [state(TOKENIZER, params, index=index) for index in range(3)]
    ids, is_drawn = draw_from(rows, states)
    assert is_drawn.tolist() == [True, False, True]
    assert torch.equal(ids[[0, 2]], draw_from(expected, states)[0][[0, 2]])
