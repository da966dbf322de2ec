import math

import pytest
import torch

from engine.port.errors import GenerationFailed, NotFinite, NoTokenLeft
from engine.port.request import SamplingParams, StopConditions, Watermark
from engine.port.text.sampled import Sampled
from engine.sampling.state import SamplingState
from tests.unit.engine.port.text import tiny_tokenizers
from tests.unit.engine.sampling import reference_sampler
from tests.unit.engine.sampling.sampling_cases import TRUNCATIONS, best_candidates, logits, sample, state

TOKENIZER = tiny_tokenizers.byte_level()
V = TOKENIZER.vocab_size

PARAMS = [
    *TRUNCATIONS.values(),
    SamplingParams(temperature=0.0),
    SamplingParams(temperature=0.0, num_logprobs=3),
    SamplingParams(temperature=0.0, repetition_penalty=1.4),
    SamplingParams(presence_penalty=0.5, num_logprobs=0),
    SamplingParams(frequency_penalty=0.5, top_k=9),
    SamplingParams(logit_bias={3: 2.0}, top_p=0.6),
    SamplingParams(watermark=Watermark(), num_logprobs=5),
]


def states_of_every_kind() -> list[SamplingState]:
    return [
        state(TOKENIZER, params, index=index, output=[index, 4, 4]) for index, params in enumerate(PARAMS)
    ]


def tokens(results: list[Sampled | GenerationFailed]) -> list[int]:
    assert all(isinstance(result, Sampled) for result in results), results
    return [result.token_id for result in results if isinstance(result, Sampled)]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_mixed_batch_gives_every_row_what_it_gets_alone(dtype: torch.dtype) -> None:
    rows, states = logits(len(PARAMS), V).to(dtype), states_of_every_kind()
    together = sample(TOKENIZER, rows, states)
    alone = [sample(TOKENIZER, rows[index : index + 1], [states[index]])[0] for index in range(len(states))]
    assert together == alone
    backwards = list(reversed(range(len(states))))
    assert sample(TOKENIZER, rows[backwards], [states[row] for row in backwards]) == together[::-1]


def test_sampling_leaves_logits_and_states_as_they_are() -> None:
    rows, states = logits(len(PARAMS), V), states_of_every_kind()
    before = rows.clone()
    first = sample(TOKENIZER, rows, states)
    assert torch.equal(rows, before)
    assert sample(TOKENIZER, rows, states) == first


def test_a_sequence_draws_the_same_from_its_seed_whatever_index_made_it() -> None:
    rows = logits(1, V).expand(4, -1)
    states = [
        state(TOKENIZER, SamplingParams(seed=seed), index=index)
        for seed, index in ((10, 3), (13, 0), (12, 1), (13 + 2**64, 0))
    ]
    assert len(set(tokens(sample(TOKENIZER, rows, states)))) == 1


def test_different_seeds_draw_differently() -> None:
    rows = logits(1, V, spread=0.1).expand(50, -1)
    states = [state(TOKENIZER, SamplingParams(seed=seed)) for seed in range(50)]
    assert len(set(tokens(sample(TOKENIZER, rows, states)))) > 30


def test_greedy_takes_the_best_token_and_of_equals_the_first() -> None:
    rows = torch.zeros(3, V)
    rows[0, 7] = rows[0, 9] = 1.0
    rows[1, V - 1] = 1.0
    greedy = [state(TOKENIZER, SamplingParams(temperature=0.0)) for _ in range(3)]
    assert tokens(sample(TOKENIZER, rows, greedy)) == [7, V - 1, 0]


def test_penalties_bear_on_the_greedy_choice() -> None:
    rows = torch.zeros(1, V)
    rows[0, 4], rows[0, 5] = 3.0, 2.0
    sequence = state(TOKENIZER, SamplingParams(temperature=0.0, frequency_penalty=0.4))
    written = []
    for _ in range(6):
        [token_id] = tokens(sample(TOKENIZER, rows, [sequence]))
        sequence.accept(token_id)
        written.append(token_id)
    assert written == [4, 4, 4, 5, 4, 5]  # 3.0, 2.6, 2.2, then 2.0, 1.8, 1.6


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_row_whose_request_excludes_every_token_is_the_requests_fault(temperature: float) -> None:
    end_token_ids = list(TOKENIZER.end_token_ids)
    params = SamplingParams(
        temperature=temperature, allowed_token_ids=(5,), banned_token_ids=(5, *end_token_ids)
    )
    states = [state(TOKENIZER, params), state(TOKENIZER, SamplingParams(temperature=0.0))]
    rows = logits(2, V)
    excluded, drawn = sample(TOKENIZER, rows, states)
    assert isinstance(excluded, NoTokenLeft) and isinstance(drawn, Sampled)
    failed, candidates = best_candidates(TOKENIZER, rows, states, 2)
    assert isinstance(failed, NoTokenLeft) and isinstance(candidates, list)


def test_a_row_that_cannot_be_drawn_fails_alone() -> None:
    rows, states = logits(len(PARAMS), V), states_of_every_kind()
    expected = sample(TOKENIZER, rows, states)
    for bad in range(len(PARAMS)):
        broken = rows.clone()
        broken[bad, 17] = torch.nan
        results = sample(TOKENIZER, broken, states)
        assert type(results[bad]) is NotFinite
        assert results[:bad] + results[bad + 1 :] == expected[:bad] + expected[bad + 1 :]


def test_a_request_that_excludes_every_token_fails() -> None:
    nothing = dict.fromkeys(range(V), -float("inf"))
    [result] = sample(TOKENIZER, logits(1, V), [state(TOKENIZER, SamplingParams(logit_bias=nothing))])
    assert isinstance(result, GenerationFailed)


@pytest.mark.parametrize("params", PARAMS, ids=lambda params: repr(params)[15:60])
def test_an_id_that_the_tokenizer_does_not_have_is_never_drawn_nor_ranked(params: SamplingParams) -> None:
    padded = tiny_tokenizers.byte_level(vocab_size=V + 100)
    rows = logits(1, V + 100)
    rows[:, V:] = 50.0
    [result] = sample(padded, rows, [state(padded, params)])
    assert isinstance(result, Sampled)
    assert result.token_id < V
    assert all(token.token_id < V for token in result.top_logprobs)


def test_a_gap_in_the_tokenizers_ids_is_never_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    gappy = tiny_tokenizers.byte_level()
    monkeypatch.setattr(gappy, "known_ids", gappy.known_ids - {5})
    rows = torch.zeros(2, V)
    rows[:, 5] = 50.0
    states = [state(gappy, SamplingParams(temperature=0.0)), state(gappy, SamplingParams(num_logprobs=V))]
    for result in sample(gappy, rows, states):
        assert isinstance(result, Sampled)
        assert result.token_id != 5
        assert all(token.token_id != 5 for token in result.top_logprobs)


def test_logprobs_are_of_the_raw_logits_whatever_is_done_to_them() -> None:
    rows = logits(2, V)
    params = SamplingParams(
        temperature=0.3, top_k=1, logit_bias={6: 80.0}, repetition_penalty=3.0, num_logprobs=4
    )
    [sampled, _] = sample(TOKENIZER, rows, [state(TOKENIZER, params), state(TOKENIZER, SamplingParams())])
    assert isinstance(sampled, Sampled)
    expected = reference_sampler.log_softmax(rows[0].tolist())
    assert sampled.token_id == 6
    assert sampled.logprob == pytest.approx(expected[6], abs=1e-5)
    best = sorted(range(V), key=lambda token_id: -expected[token_id])[:4]
    assert [token.token_id for token in sampled.top_logprobs] == best
    assert [token.logprob for token in sampled.top_logprobs] == pytest.approx(
        [expected[token_id] for token_id in best], abs=1e-5
    )


def test_rows_that_name_tokens_list_those_and_leave_the_others_as_they_were() -> None:
    rows = logits(4, V)
    params = [
        SamplingParams(seed=1, num_logprobs=2),
        SamplingParams(seed=1, num_logprobs=2, logprob_token_ids=(7,)),
        SamplingParams(seed=1),
        SamplingParams(seed=1, num_logprobs=0, logprob_token_ids=(5, 3, 8)),
    ]
    results = sample(TOKENIZER, rows, [state(TOKENIZER, one) for one in params])
    for row, (result, own) in enumerate(zip(results, params, strict=True)):
        assert isinstance(result, Sampled)
        [alone] = sample(TOKENIZER, rows[row : row + 1], [state(TOKENIZER, own)])
        assert result == alone
        if own.logprob_token_ids:
            expected = rows[row].log_softmax(dim=-1)[list(own.logprob_token_ids)].tolist()
            assert [token.token_id for token in result.top_logprobs] == [*own.logprob_token_ids]
            assert [token.logprob for token in result.top_logprobs] == pytest.approx(expected, abs=2e-6)
    assert [len(result.top_logprobs) for result in results if isinstance(result, Sampled)] == [2, 1, 0, 3]


def test_a_named_token_of_probability_zero_is_listed() -> None:
    rows = logits(1, V)
    rows[0, 5] = -torch.inf
    [sampled] = sample(
        TOKENIZER, rows, [state(TOKENIZER, SamplingParams(num_logprobs=0, logprob_token_ids=(5,)))]
    )
    assert isinstance(sampled, Sampled)
    assert [(token.token_id, token.logprob) for token in sampled.top_logprobs] == [(5, -math.inf)]


@pytest.mark.parametrize(
    ("num_logprobs", "has_logprob", "num_top"), [(None, False, 0), (0, True, 0), (2, True, 2)]
)
def test_only_the_logprobs_asked_for_are_given(
    num_logprobs: int | None, has_logprob: bool, num_top: int
) -> None:
    [sampled] = sample(TOKENIZER, logits(1, V), [state(TOKENIZER, SamplingParams(num_logprobs=num_logprobs))])
    assert isinstance(sampled, Sampled)
    assert (sampled.logprob is not None, len(sampled.top_logprobs)) == (has_logprob, num_top)


def test_the_end_token_is_not_drawn_before_min_tokens() -> None:
    [eos] = TOKENIZER.end_token_ids
    rows = torch.zeros(1, V)
    rows[0, eos] = 50.0
    stopping = StopConditions(max_tokens=9, min_tokens=2)
    sequence = state(TOKENIZER, SamplingParams(temperature=0.0), stopping=stopping)
    written = []
    for _ in range(3):
        written += tokens(sample(TOKENIZER, rows, [sequence]))
        sequence.accept(written[-1])
    assert written == [0, 0, eos]


def test_a_top_k_that_keeps_all_is_as_none() -> None:
    rows = logits(5, V)
    wide = [state(TOKENIZER, SamplingParams(top_k=V), index=index) for index in range(5)]
    none = [state(TOKENIZER, SamplingParams(), index=index) for index in range(5)]
    assert sample(TOKENIZER, rows, wide) == sample(TOKENIZER, rows, none)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_cuda_draws_what_the_cpu_draws() -> None:
    rows, states = logits(len(PARAMS), V), states_of_every_kind()
    on_cuda = [state(TOKENIZER, params, index=row, device="cuda") for row, params in enumerate(PARAMS)]
    for sequence, row in zip(on_cuda, range(len(PARAMS)), strict=True):
        for token_id in (row, 4, 4):
            sequence.accept(token_id)
    assert tokens(sample(TOKENIZER, rows.cuda(), on_cuda)) == tokens(sample(TOKENIZER, rows, states))
