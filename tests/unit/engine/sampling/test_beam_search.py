"""The choices of beam search, on made-up models: a table of log-probabilities for every start of a text."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.port.request import BeamParams
from engine.sampling.beam_search import BeamSearch, Candidate, Hypothesis

END = 0  # the token that ends a sequence
VOCAB = 3
MAX_TOKENS = 3

Table = dict[tuple[int, ...], list[float]]

tables = st.fixed_dictionaries(
    {
        start: st.lists(st.floats(-9, -0.01), min_size=VOCAB, max_size=VOCAB, unique=True)
        for length in range(MAX_TOKENS)
        for start in product(range(1, VOCAB), repeat=length)
    }
)
searches = st.builds(
    BeamParams,
    num_beams=st.integers(2, 6),
    length_penalty=st.sampled_from([-1.0, 0.0, 0.5, 1.0, 3.0]),
    early_stopping=st.sampled_from([True, False, "never"]),
)


def ids(tokens: Sequence[Candidate]) -> tuple[int, ...]:
    return tuple(token.token_id for token in tokens)


def search(table: Table, params: BeamParams) -> list[Hypothesis]:
    """Runs the search to its end; at most MAX_TOKENS steps."""
    beams = BeamSearch(params, max_tokens=MAX_TOKENS, num_end_tokens=1)
    starts: list[tuple[int, ...]] = [()]
    for _ in range(MAX_TOKENS):
        continuations = beams.continuations([best_first(table[start]) for start in starts])
        assert [one.score for one in continuations] == sorted(
            (one.score for one in continuations), reverse=True
        )
        living = beams.advance(continuations, [one.token.token_id == END for one in continuations])
        starts = [(*starts[one.beam], one.token.token_id) for one in living]
        if not starts:
            return beams.hypotheses
    raise AssertionError("the search went past max_tokens")


def best_first(scores: list[float]) -> list[Candidate]:
    return sorted((Candidate(i, score) for i, score in enumerate(scores)), key=lambda one: -one.score)


def total(table: Table, tokens: tuple[int, ...]) -> float:
    return sum(table[tokens[:place]][token_id] for place, token_id in enumerate(tokens))


def complete_texts() -> list[tuple[int, ...]]:
    words = range(1, VOCAB)
    ended = [(*start, END) for n in range(MAX_TOKENS) for start in product(words, repeat=n)]
    return ended + list(product(words, repeat=MAX_TOKENS))


@given(tables, searches)
def test_hypotheses_are_complete_distinct_rightly_scored_and_best_first(
    table: Table, params: BeamParams
) -> None:
    found = search(table, params)
    texts = [ids(hypothesis.tokens) for hypothesis in found]
    assert 1 <= len(found) <= params.num_beams
    assert len({*texts}) == len(texts)
    assert {*texts} <= {*complete_texts()}
    for hypothesis, text in zip(found, texts, strict=True):
        assert hypothesis.score == pytest.approx(total(table, text) / len(text) ** params.length_penalty)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


@given(tables, st.sampled_from([-1.0, 0.0, 1.0, 2.0]))
def test_with_a_beam_for_every_text_the_best_of_all_are_found(table: Table, length_penalty: float) -> None:
    texts = complete_texts()
    params = BeamParams(num_beams=len(texts), length_penalty=length_penalty, early_stopping="never")
    found = search(table, params)
    scores = {text: total(table, text) / len(text) ** length_penalty for text in texts}
    assert {ids(one.tokens) for one in found} == {*texts}
    assert [one.score for one in found] == pytest.approx(sorted(scores.values(), reverse=True))


@given(tables, st.integers(2, 6))
def test_never_stopping_early_misses_nothing_that_stopping_early_finds(table: Table, num_beams: int) -> None:
    early, heuristic, never = (
        search(table, BeamParams(num_beams=num_beams, early_stopping=early_stopping))
        for early_stopping in (True, False, "never")
    )
    assert never[0].score >= heuristic[0].score >= early[0].score


def test_a_continuation_beyond_the_first_num_beams_does_not_complete() -> None:
    beams = BeamSearch(BeamParams(num_beams=2), max_tokens=9, num_end_tokens=1)
    candidates = [Candidate(1, -1.0), Candidate(2, -2.0), Candidate(END, -3.0)]
    living = beams.advance(beams.continuations([candidates]), [False, False, True])
    assert [one.token.token_id for one in living] == [1, 2]
    assert beams.hypotheses == []


def test_enough_live_on_though_every_end_token_is_likelier() -> None:
    params = BeamParams(num_beams=2, length_penalty=2.0, early_stopping="never")
    beams = BeamSearch(params, max_tokens=9, num_end_tokens=3)
    candidates = [Candidate(token_id, -1.0 - token_id) for token_id in range(6)]
    continuations = beams.continuations([candidates])
    living = beams.advance(continuations, [one.token.token_id < 3 for one in continuations])
    assert [one.token.token_id for one in living] == [3, 4]
    assert [ids(one.tokens) for one in beams.hypotheses] == [(0,), (1,)]


def test_a_search_whose_candidates_all_complete_is_over() -> None:
    beams = BeamSearch(BeamParams(num_beams=2), max_tokens=9, num_end_tokens=1)
    assert beams.advance(beams.continuations([[Candidate(END, -1.0)]]), [True]) == []
    assert [ids(one.tokens) for one in beams.hypotheses] == [(END,)]


@pytest.mark.parametrize(
    ("length_penalty", "early_stopping", "running", "goes_on"),
    [
        # Complete are END with -1.0 and (1, END) with -3.0; all that runs then has two tokens of eight.
        (2.0, True, -3.5, False),  # two are complete, though -3.5 / 4 would beat -1.0
        (2.0, False, -3.5, True),
        (1.0, False, -2.5, True),  # -1.25 beats the worst, -1.5, though not the best
        (1.0, False, -3.0, False),  # an equal score does not
        (1.0, False, -3.5, False),
        (1.0, "never", -3.5, True),  # at eight tokens it may still have -0.44
        (-1.0, "never", -2.5, True),  # -5.0 beats -6.0; length makes it only worse
        (-1.0, "never", -3.5, False),
        (0.0, "never", -3.5, False),
    ],
)
def test_a_search_is_over_when_no_running_beam_can_beat_the_worst_complete_one(
    length_penalty: float, early_stopping: Any, running: float, goes_on: bool
) -> None:
    params = BeamParams(num_beams=2, length_penalty=length_penalty, early_stopping=early_stopping)
    beams = BeamSearch(params, max_tokens=8, num_end_tokens=1)
    first = beams.continuations([[Candidate(END, -1.0), Candidate(1, -2.0), Candidate(2, -3.0)]])
    assert [one.beam for one in beams.advance(first, [True, False, False])] == [0, 0]
    after_1 = sorted([Candidate(END, -1.0), Candidate(3, running + 2.0)], key=lambda one: -one.score)
    second = beams.continuations([after_1, [Candidate(4, -50.0), Candidate(5, -60.0)]])
    living = beams.advance(second, [one.token.token_id == END for one in second])
    assert len(beams.hypotheses) == 2
    assert bool(living) == goes_on
