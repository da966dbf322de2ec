from collections.abc import Callable

import pytest
import torch

from engine.sampling.logprobs import log_probabilities, log_sums, log_sums_by_torch
from tests.unit.engine.port.text import tiny_tokenizers
from tests.unit.engine.sampling import reference_sampler
from tests.unit.engine.sampling.sampling_cases import logits, rank_logprobs, score_tokens

TOKENIZER = tiny_tokenizers.byte_level()
V = TOKENIZER.vocab_size


def logprobs_of(rows: torch.Tensor) -> torch.Tensor:
    return log_probabilities(rows, log_sums(rows))


@pytest.mark.parametrize("num_rows", [0, 1, 64, 65, 200])
def test_scores_are_the_float64_log_probabilities_of_the_tokens(num_rows: int) -> None:
    rows = logits(num_rows, V)
    next_ids = torch.arange(num_rows) * 7 % V
    expected = [
        reference_sampler.log_softmax(row)[token_id]
        for row, token_id in zip(rows.tolist(), next_ids.tolist(), strict=True)
    ]
    scores = score_tokens(TOKENIZER, rows, next_ids, [row % 3 for row in range(num_rows)])
    own = torch.tensor([logprob for logprob, _ in scores])
    torch.testing.assert_close(own, torch.tensor(expected), rtol=0, atol=2e-6)
    assert [top for _, top in scores] == rank_logprobs(TOKENIZER, rows, [row % 3 for row in range(num_rows)])


def test_a_real_vocabulary_is_scored_in_parts_as_it_is_at_once() -> None:
    rows = logits(20, 151_936)
    next_ids = torch.arange(20) * 7_001
    scores = score_tokens(TOKENIZER, rows, next_ids, [0] * 20)
    expected = logprobs_of(rows).gather(1, next_ids.unsqueeze(1)).squeeze(1)
    assert [logprob for logprob, _ in scores] == expected.tolist()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("vocab_size", [1, 31, 4097, 151_936])
@pytest.mark.parametrize("find", [log_sums, log_sums_by_torch])
def test_sums_are_those_of_float64(
    find: Callable[[torch.Tensor], torch.Tensor], vocab_size: int, dtype: torch.dtype
) -> None:
    rows = (logits(8, vocab_size) + 30).to(dtype)
    rows[1, : vocab_size // 2] = -torch.inf
    rows[2:5, -1] = torch.tensor([torch.nan, torch.inf, 1000.0])
    rows[5] = -torch.inf
    expected = torch.logsumexp(rows.double(), dim=-1, keepdim=True)
    expected[[2, 3, 5]] = torch.nan
    torch.testing.assert_close(find(rows), expected, rtol=0, atol=1e-6, equal_nan=True)


def test_the_ranked_are_by_logprob_then_by_id_and_as_many_as_each_row_asks() -> None:
    rows = torch.zeros(4, V)
    rows[:, 40] = 5.0
    rows[:, [30, 20]] = 3.0
    ranked = rank_logprobs(TOKENIZER, rows, [0, 1, 3, 5])
    assert [[token.token_id for token in row] for row in ranked] == [
        [],
        [40],
        [40, 20, 30],
        [40, 20, 30, 0, 1],
    ]
    assert ranked[2][1].logprob == logprobs_of(rows)[2, 20]


def test_a_ranked_token_has_its_text_alone_and_says_whether_it_is_special() -> None:
    [eos] = TOKENIZER.end_token_ids
    rows = torch.zeros(1, V)
    rows[0, eos] = 1.0
    [[token]] = rank_logprobs(TOKENIZER, rows, [1])
    assert (token.text, token.is_special) == (tiny_tokenizers.EOS, True)


def test_tokens_of_probability_zero_are_not_listed() -> None:
    rows = torch.full((1, V), -torch.inf)
    rows[0, :2] = 0.0
    [ranked] = rank_logprobs(TOKENIZER, rows, [5])
    assert [token.token_id for token in ranked] == [0, 1]
