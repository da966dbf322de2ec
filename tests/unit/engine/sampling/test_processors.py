import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from engine.port.errors import InvalidToken
from engine.port.request import SamplingParams, StopConditions, Watermark
from engine.sampling.logits.watermark import green_mask
from engine.sampling.processors import adjust_logits
from tests.unit.engine.port.text import tiny_tokenizers
from tests.unit.engine.sampling import reference_sampler
from tests.unit.engine.sampling.sampling_cases import CPU, logits, state

TOKENIZER = tiny_tokenizers.byte_level()
V = TOKENIZER.vocab_size

token_ids = st.lists(st.integers(0, V - 1), max_size=150)
penalties = st.builds(
    SamplingParams,
    repetition_penalty=st.sampled_from([1.0, 1.3, 0.8]),
    presence_penalty=st.sampled_from([0.0, 0.7, -1.5]),
    frequency_penalty=st.sampled_from([0.0, 0.4, -2.0]),
    logit_bias=st.dictionaries(st.integers(0, V - 1), st.floats(-100, 100), max_size=5),
)


@given(
    rows=st.lists(
        st.tuples(penalties, st.lists(st.integers(0, V - 1), min_size=1, max_size=20), token_ids),
        min_size=1,
        max_size=4,
    ),
    seed=st.integers(0, 1000),
)
def test_bias_and_penalties_are_those_of_the_definition_in_any_batch(
    rows: list[tuple[SamplingParams, list[int], list[int]]], seed: int
) -> None:
    before = logits(len(rows), V, seed=seed)
    after = before.clone()
    adjust_logits(after, [state(TOKENIZER, params, prompt=p, output=o) for params, p, o in rows])
    for row, expected_from, (params, prompt, output) in zip(after, before, rows, strict=True):
        expected = reference_sampler.adjusted(expected_from.tolist(), params, prompt, output)
        torch.testing.assert_close(row, torch.tensor(expected), rtol=1e-4, atol=1e-4)


def test_presence_and_frequency_do_not_see_the_prompt_and_repetition_does() -> None:
    row = torch.ones(3, V)
    adjust_logits(
        row,
        [
            state(TOKENIZER, SamplingParams(presence_penalty=1.0), prompt=[5], output=[6]),
            state(TOKENIZER, SamplingParams(frequency_penalty=1.0), prompt=[5], output=[6, 6]),
            state(TOKENIZER, SamplingParams(repetition_penalty=2.0), prompt=[5, 5], output=[6, 6]),
        ],
    )
    assert row[:, [5, 6, 7]].tolist() == [[1, 0, 1], [1, -1, 1], [0.5, 0.5, 1]]


@pytest.mark.parametrize("penalty", [1e-45, 1e-300, 1e38, 1e300])
def test_no_repetition_penalty_however_extreme_makes_a_logit_infinite(penalty: float) -> None:
    row = torch.tensor([[30.0, -30.0, 0.0] + [1.0] * (V - 3)])
    params = SamplingParams(repetition_penalty=penalty, frequency_penalty=2.0, presence_penalty=-2.0)
    adjust_logits(row, [state(TOKENIZER, params, prompt=[0, 1, 2], output=[0, 1, 2])])
    assert row.isfinite().all()


def test_bias_comes_before_the_repetition_penalty() -> None:
    row = torch.zeros(1, V)
    params = SamplingParams(repetition_penalty=2.0, logit_bias={5: 4.0})
    adjust_logits(row, [state(TOKENIZER, params, prompt=[5])])
    assert row[0, 5] == 2.0


def test_the_watermark_raises_green_tokens_before_anything_else() -> None:
    row = torch.zeros(2, V)
    params = SamplingParams(watermark=Watermark(gamma=0.25, delta=3.0), logit_bias={0: 1.0})
    adjust_logits(row, [state(TOKENIZER, params, prompt=[9]), state(TOKENIZER, params, output=[7])])
    for values, previous in zip(row, (9, 7), strict=True):
        expected = 3.0 * green_mask(previous, V, 0.25, device=CPU)
        expected[0] += 1.0
        assert torch.equal(values, expected)


@pytest.mark.parametrize("ignore_eos", [False, True])
def test_what_would_end_the_sequence_is_forbidden_until_min_tokens(ignore_eos: bool) -> None:
    stopping = StopConditions(max_tokens=9, min_tokens=2, stop_token_ids=(11,), ignore_eos=ignore_eos)
    row = torch.zeros(3, V)
    adjust_logits(
        row, [state(TOKENIZER, SamplingParams(), stopping=stopping, output=[1] * count) for count in range(3)]
    )
    forbidden = {11} if ignore_eos else {11, *TOKENIZER.end_token_ids}
    for values, expected in zip(row, (forbidden, forbidden, set()), strict=True):
        assert set((values == -torch.inf).nonzero().flatten().tolist()) == expected


def test_neutral_settings_adjust_nothing() -> None:
    assert not state(TOKENIZER, SamplingParams(temperature=0.3, top_k=5)).adjusts_logits


@pytest.mark.parametrize("token_id", [-1, V])
def test_an_id_outside_the_vocabulary_is_refused(token_id: int) -> None:
    with pytest.raises(InvalidToken, match=str(token_id)):
        state(TOKENIZER, SamplingParams(logit_bias={token_id: 1.0}))
    with pytest.raises(InvalidToken, match=str(token_id)):
        stopping = StopConditions(max_tokens=1, stop_token_ids=(token_id,))
        state(TOKENIZER, SamplingParams(), stopping=stopping)
