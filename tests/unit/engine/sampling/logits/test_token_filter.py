import time

import pytest
import torch
from msgspec.structs import replace
from transformers import NoBadWordsLogitsProcessor

from engine.port.errors import InvalidRequest, InvalidToken
from engine.port.request import SamplingParams, StopConditions
from engine.port.text.sampled import Sampled
from engine.sampling.logits.token_filter import BadWords
from engine.sampling.processors import adjust_logits
from tests.unit.engine.port.text import tiny_tokenizers
from tests.unit.engine.sampling.sampling_cases import logits, sample, state

TOKENIZER = tiny_tokenizers.byte_level()
V = TOKENIZER.vocab_size


def excluded(params: SamplingParams, *, prompt: list[int], output: list[int]) -> set[int]:
    row = logits(1, V)
    before = row.clone()
    adjust_logits(row, [state(TOKENIZER, params, prompt=prompt, output=output)])
    is_excluded = row.isneginf()
    assert torch.equal(row[~is_excluded], before[~is_excluded])
    return set(is_excluded[0].nonzero().flatten().tolist())


def encode(text: str) -> list[int]:
    return TOKENIZER.encode(text, add_special_tokens=False)


def test_allowed_token_ids_leave_these_alone() -> None:
    params = SamplingParams(allowed_token_ids=(3, 9))
    assert excluded(params, prompt=[1], output=[]) == set(range(V)) - {3, 9}


def test_banned_token_ids_never_come() -> None:
    assert excluded(SamplingParams(banned_token_ids=(3, 9)), prompt=[1], output=[3]) == {3, 9}


def test_a_token_both_allowed_and_banned_does_not_come() -> None:
    params = SamplingParams(allowed_token_ids=(3, 9), banned_token_ids=(3,))
    assert excluded(params, prompt=[1], output=[]) == set(range(V)) - {9}


@pytest.mark.parametrize("leading", ["", " "])
def test_a_bad_word_is_not_completed_at_a_start_nor_after_a_space(leading: str) -> None:
    *prefix, last = encode(f"{leading}zqx")
    params = SamplingParams(bad_words=("zqx",))
    assert last in excluded(params, prompt=[1], output=prefix)
    assert excluded(params, prompt=[1], output=[*prefix, 1]) == set()


def test_a_bad_word_begun_in_the_prompt_is_not_completed() -> None:
    first, *middle, last = encode("zqx")
    assert excluded(SamplingParams(bad_words=("zqx",)), prompt=[first], output=middle) == {last}


def test_a_bad_word_is_seen_from_its_first_token_on() -> None:
    *prefix, last = encode("there")
    assert len(prefix) == 4 > len(encode(" there"))
    params = SamplingParams(bad_words=("there",))
    assert excluded(params, prompt=[1], output=prefix) == {last}
    assert excluded(params, prompt=prefix[:1], output=prefix[1:]) == {last}
    assert excluded(params, prompt=[1], output=prefix[1:]) == set()


def test_bad_words_exclude_what_transformers_bad_words_ids_exclude() -> None:
    words = ("a", "the", "zq", "zqz", "qzq", "and so")
    sequences = [encode(prefix + word) for word in words for prefix in ("", " ")]
    theirs = NoBadWordsLogitsProcessor(sequences, eos_token_id=[V + 1])
    params = SamplingParams(bad_words=words)
    generator = torch.Generator().manual_seed(0)
    pool = torch.tensor([*encode("zq and so the a "), *encode("zqzq and")])
    for _ in range(100):
        ids = pool[torch.randint(len(pool), (12,), generator=generator)].tolist()
        scores = theirs(torch.tensor([ids]), torch.zeros(1, V))
        expected = set(scores[0].isneginf().nonzero().flatten().tolist())
        assert excluded(params, prompt=ids[:4], output=ids[4:]) == expected


def test_bad_words_are_not_looked_for_one_by_one() -> None:
    """Each step compared all 16,000 of a request that have one token before their last: 1.5 ms."""
    words = BadWords([f"{chr(0x4E00 + number)}ab" for number in range(16_000)], TOKENIZER)
    *prefix, last = encode(f"{chr(0x4E00 + 15_999)}ab")
    started = time.process_time()
    for _ in range(2_000):
        assert words.completions([1, *prefix]) == [last]
        assert words.completions([1, 1, *prefix[-1:]]) == []
    assert time.process_time() - started < 1


def test_a_forked_filter_goes_its_own_way() -> None:
    first, second, last = encode("zqx")
    parent = state(TOKENIZER, SamplingParams(bad_words=("zqx",)), prompt=[1], output=[first])
    child = parent.fork()
    parent.accept(second)
    child.accept(1)
    rows = torch.zeros(2, V)
    adjust_logits(rows, [parent, child])
    assert rows.isneginf().nonzero().tolist() == [[0, last]]


@pytest.mark.parametrize("name", ["allowed_token_ids", "banned_token_ids"])
@pytest.mark.parametrize("token_id", [-1, V])
def test_excluded_ids_outside_the_vocabulary_are_refused(name: str, token_id: int) -> None:
    with pytest.raises(InvalidToken, match=str(token_id)):
        state(TOKENIZER, replace(SamplingParams(), **{name: (token_id,)}))


@pytest.mark.parametrize(
    "params",
    [SamplingParams(allowed_token_ids=()), SamplingParams(bad_words=("",)), SamplingParams(bad_words=(" ",))],
)
def test_what_excludes_every_token_or_names_none_is_refused(params: SamplingParams) -> None:
    with pytest.raises(InvalidRequest):
        state(TOKENIZER, params)


def test_end_tokens_stay_forbidden_before_min_tokens_though_allowed() -> None:
    (end, *_) = TOKENIZER.end_token_ids
    stopping = StopConditions(max_tokens=9, min_tokens=1)
    allowed = state(TOKENIZER, SamplingParams(allowed_token_ids=(5, end)), stopping=stopping)
    row = torch.zeros(1, V)
    adjust_logits(row, [allowed])
    assert row.isfinite().nonzero().tolist() == [[0, 5]]


def test_a_mixed_batch_excludes_in_its_own_rows_only() -> None:
    row = torch.zeros(1, V)
    row[0, 7] = 5.0
    states = [
        state(TOKENIZER, SamplingParams(temperature=0.0)),
        state(TOKENIZER, SamplingParams(temperature=0.0, banned_token_ids=(7,))),
        state(TOKENIZER, SamplingParams(temperature=0.0, allowed_token_ids=(9,))),
    ]
    assert sample(TOKENIZER, row.expand(3, -1), states) == [Sampled(7), Sampled(0), Sampled(9)]
